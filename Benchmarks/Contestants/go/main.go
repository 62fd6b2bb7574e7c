// time.AfterFunc for each timer and each cancel; Reset for a restart.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

func after(at int64, f func()) *time.Timer { return time.AfterFunc(time.Duration(at-now()), f) }

// Arms the timers, waits until all have fired or were cancelled, and returns [k, late] for each.
func runDeadlines(timers []timer, start int64) (fired [][2]int64, late int64) {
	var count atomic.Int64
	var open sync.WaitGroup
	open.Add(len(timers))
	fired = make([][2]int64, len(timers))
	var all []*time.Timer
	for _, t := range timers {
		t := t
		armed := after(start+t.Due, func() {
			time := now()
			fired[count.Add(1)-1] = [2]int64{t.K, time - start - t.Due}
			if t.Cancel == nil {
				open.Done()
			}
		})
		all = append(all, armed)
		if t.Cancel != nil {
			all = append(all, after(start+*t.Cancel, func() { armed.Stop(); open.Done() }))
		}
	}
	if late = now() - start; late >= 0 {
		for _, t := range all {
			t.Stop()
		}
		return nil, late
	}
	open.Wait()
	return fired[:count.Load()], late
}

func runRestarts(armed []*time.Timer, timers []timer, list [][2]int64, rounds int) {
	for ; rounds > 0; rounds-- {
		for _, restart := range list {
			armed[restart[0]].Reset(time.Duration(restart[1]))
			timers[restart[0]].Due = restart[1]
		}
	}
}

func answerRestarts(armed []*time.Timer, timers []timer) string {
	sum, outstanding := uint64(0), 0
	for k, t := range armed {
		sum += uint64(timers[k].Due)
		if t.Stop() { // The only way to ask whether a timer runs is to stop it.
			outstanding++
		}
		t.Reset(time.Duration(timers[k].Due))
	}
	return fmt.Sprintf("\"sum\":\"%d\",\"outstanding\":%d", sum, outstanding)
}

func main() {
	input := bufio.NewReader(os.Stdin)
	h, plan := openPlan(input)
	timers, list, armed := make([]timer, h.Timers), make([][2]int64, h.Restarts), []*time.Timer{}
	for k := range timers {
		read(plan, &timers[k])
		if t := timers[k]; h.Restarts > 0 {
			armed = append(armed, time.AfterFunc(time.Duration(t.Due), func() {}))
		} else if t.Cancel != nil && t.Due-*t.Cancel < 1e6 {
			fmt.Println(`{"cannot":"timers of the same millisecond start together, their cancel too"}`)
			return
		}
	}
	for i := range list {
		read(plan, &list[i])
	}
	if h.Restarts > 0 {
		run := func(int64) int64 { runRestarts(armed, timers, list, h.Rounds); return -1 }
		serve(input, run, func() string { return answerRestarts(armed, timers) })
		return
	}
	var fired [][2]int64
	run := func(start int64) (late int64) { fired, late = runDeadlines(timers, start); return late }
	serve(input, run, func() string {
		text, _ := json.Marshal(fired)
		return `"late":` + string(text)
	})
}
