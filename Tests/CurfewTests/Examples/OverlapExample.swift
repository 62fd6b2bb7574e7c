import Curfew
import Foundation

/// Ends a task on a thread of its own, and closes a file that the task's handler uses.
func finish(_ app: App, _ task: BackgroundTaskIdentifier, _ file: FileHandle) {
  app.endBackgroundTask(task)
  while app.mayRunExpirationHandler(of: task) { Thread.sleep(forTimeInterval: 0.001) }
  file.closeFile()
}
