// The protocol `bench/1`, and CLOCK_MONOTONIC, which the package time hides.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

type header struct {
	Plan                     string
	Timers, Restarts, Rounds int
}
type request struct {
	Segment, Answer *int
	Start           int64
	End             bool
}
type timer struct {
	K, Due int64
	Cancel *int64
}

// CLOCK_MONOTONIC is `zero` at `program`.
var program, zero = findZero()

func findZero() (time.Time, int64) {
	for {
		var t syscall.Timespec
		before := time.Now()
		syscall.Syscall(syscall.SYS_CLOCK_GETTIME, 1, uintptr(unsafe.Pointer(&t)), 0)
		if time.Since(before) < 2*time.Microsecond {
			return before, t.Nano()
		}
	}
}

func now() int64 { return int64(time.Since(program)) + zero }

func read(from *bufio.Reader, into any) bool {
	line, err := from.ReadBytes('\n')
	return err == nil && json.Unmarshal(line, into) == nil
}

// Opens the plan of the first request and reads its header.
func openPlan(input *bufio.Reader) (h header, plan *bufio.Reader) {
	read(input, &h)
	file, err := os.Open(h.Plan)
	plan = bufio.NewReader(file)
	if err != nil || !read(plan, &h) {
		fmt.Fprintln(os.Stderr, "no plan:", err)
		os.Exit(1)
	}
	return h, plan
}

// Serves the requests after the first. `run` returns how late the segment was; negative if it
// ran. `answer` returns the members of an answer.
func serve(input *bufio.Reader, run func(start int64) int64, answer func() string) {
	fmt.Printf("{\"ready\":true,\"version\":\"%s\",\"rounding\":\"none\"}\n", runtime.Version())
	for r := (request{}); read(input, &r) && !r.End; r = (request{}) {
		if r.Segment == nil {
			fmt.Printf("{\"answer\":%d,%s}\n", *r.Answer, answer())
			continue
		}
		began := now()
		late, ended := run(r.Start), now()
		if late >= 0 {
			fmt.Printf("{\"segment\":%d,\"late\":%d}\n", *r.Segment, late)
		} else {
			fmt.Printf("{\"segment\":%d,\"began\":%d,\"ended\":%d}\n", *r.Segment, began, ended)
		}
	}
}
