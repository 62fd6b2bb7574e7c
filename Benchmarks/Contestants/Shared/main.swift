import Glibc

// A contestant of the suite: `contestants NAME`, with the protocol `bench/1` on standard input
// and output. `contestants count WORK` does a fixed amount of work, for `bench count`.

#if compiler(>=6.4)
  let version = "Swift 6.4 or later"
#elseif compiler(>=6.3)
  let version = "Swift 6.3"
#else
  let version = "Swift 6.2"
#endif

func complain(_ problem: String) {
  Text("contestants: \(problem)").send(to: 2)
}

/// Answers the first message with the contestant that it asks for.
@MainActor func makeContestant(_ name: String) throws -> (any Contestant)? {
  guard let request = Message.read(), let workload = request.text("workload"),
    let path = request.text("plan")
  else {
    complain("the first line names no workload and no plan")
    return nil
  }
  var plan = try Plan(path: path)
  return try contestant(name, for: workload, &plan)
}

/// Answers messages until the end.
/// - Returns: The exit code.
@MainActor func serve(_ contestant: any Contestant) async -> Int32 {
  while let message = Message.read() {
    if let segment = message.number("segment") {
      let start = message.number("start") ?? 0
      switch await contestant.run(start: start) {
      case .measured(let began, let ended):
        Text("{\"segment\":\(segment),\"began\":\(began),\"ended\":\(ended)}").send()
      case .late(let time): Text("{\"segment\":\(segment),\"late\":\(time)}").send()
      }
    } else if let segment = message.number("answer") {
      var text = Text("{\"answer\":\(segment)")
      contestant.answer(to: &text)
      text.append("}")
      text.send()
    } else {
      return 0
    }
  }
  return 0
}

if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "count" {
  exit(count(CommandLine.arguments[2]))
}
guard CommandLine.arguments.count == 2 else {
  complain("give the name of one contestant: \(contestantNames.joined(separator: ", "))")
  exit(64)
}
do {
  guard let contestant = try makeContestant(CommandLine.arguments[1]) else { exit(1) }
  let rounding = Text.quoted(contestant.rounding)
  Text("{\"ready\":true,\"version\":\(Text.quoted(version)),\"rounding\":\(rounding)}").send()
  exit(await serve(contestant))
} catch let error as CannotTakePart {
  Text("{\"cannot\":\(Text.quoted(error.reason))}").send()
} catch {
  complain("\(error)")
  exit(1)
}
