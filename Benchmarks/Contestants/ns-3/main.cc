// The canonical cycle on ns-3. With an argument, the open division: the scheduler of that name, and
// only the events that happen.
#include <ns3/core-module.h>

#include <array>
#include <vector>

#include "../Shared/bench.h"

#define QUOTED(text) #text
#define TEXT(macro) QUOTED(macro)

using namespace ns3;

static std::array<std::vector<int64_t>, 3> tables;  // The plan's: foreground, work, suspended.
static int64_t suspensions, goal, expirations;
static uint64_t checksum;
static bool isOpen;

struct App {
  uint32_t number, cycle = 0;
  EventId warning, work;

  int64_t draw(int table) const {
    uint64_t mixed = (uint64_t(number) << 32 | cycle) * 0x9e3779b97f4a7c15u;
    return tables[table][(mixed ^ mixed >> 29) >> 33 & 4095];
  }
  EventId plan(int64_t wait, void (App::*step)()) {
    return Simulator::Schedule(NanoSeconds(wait), step, this);
  }
  void leaveSuspension() { plan(draw(0), &App::home); }
  void home() {
    EventId limit;  // The limit of didEnterBackground, which returns at once.
    if (!isOpen) limit = plan(5000000000, &App::fail);
    warning = plan(25000000000, &App::expire);
    work = plan(draw(1), &App::finish);
    limit.Cancel();
  }
  void finish() {
    warning.Cancel();
    plan(0, &App::suspend);
  }
  void expire() {
    EventId grant;  // The end of the grant, which the handler forestalls.
    expirations++;
    if (!isOpen) grant = plan(5000000000, &App::fail);
    work.Cancel();
    grant.Cancel();
    plan(0, &App::suspend);
  }
  void suspend() {
    checksum = checksum * 31 + Simulator::Now().GetNanoSeconds() + number;
    cycle++;
    plan(draw(2), &App::leaveSuspension);
    if (++suspensions == goal) Simulator::Stop();
  }
  void fail() { NS_FATAL_ERROR("a cancelled event ran"); }
};

int main(int count, char **arguments) {
  FILE *plan = openPlan();
  int64_t cycles = number("cycles"), before = 0, segment;
  std::vector<App> apps(number("apps"));
  for (auto &table : tables)
    for (char *text = readLine(plan) ? strchr(line, '[') : NULL; text && *text != ']';)
      table.push_back(strtoll(text + 1, &text, 10));
  isOpen = count > 1;
  if (isOpen) {
    ObjectFactory factory("ns3::" + std::string(arguments[1]) + "Scheduler");
    Simulator::SetScheduler(factory);
  }
  for (size_t i = 0; i < apps.size(); i++) {
    apps[i].number = i;
    apps[i].plan(apps[i].draw(2), &App::leaveSuspension);
  }
  printf("{\"ready\":true,\"version\":\"ns-3 " TEXT(NS3) "\",\"rounding\":\"none\"}\n");
  while (readRequest()) {
    if ((segment = number("segment")) >= 0) {
      before = expirations, goal = suspensions + cycles;
      int64_t began = now();
      Simulator::Run();
      sayMeasured(segment, began, now());
    } else {
      printf("{\"answer\":%" PRId64 ",\"suspensions\":%" PRId64 ",\"expirations\":%" PRId64
             ",\"checksum\":\"%" PRIu64 "\"}\n",
             number("answer"), cycles, expirations - before, checksum);
    }
  }
}
