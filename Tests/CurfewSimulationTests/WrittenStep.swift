import CurfewEngine
import CurfewSimulation
import CurfewTrace

/// A step as a trace writes it, after its app's number: `0 "do":"endTask","task":"upload"`.
func written(_ step: Step) -> String {
  let line = TraceLine(time: .zero, app: nil, .event(step.deed)).json()
  let app = step.app.map { "\($0.rawValue)" } ?? "-"
  return app + " " + line.dropFirst(#"{"t":0,"type":"event","#.count).dropLast()
}
