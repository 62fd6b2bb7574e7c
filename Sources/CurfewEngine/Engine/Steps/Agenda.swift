/// The part of a device-wide step that concerns one app and is still to be done. It is done before
/// anything else.
struct AgendaItem: BitwiseCopyable {
  enum Work: BitwiseCopyable {
    case gesture(Gesture)
    case expireTasks(ExpirationReason)
    case memoryWarning
    case reconsider
  }

  let app: AppID
  let work: Work
}
