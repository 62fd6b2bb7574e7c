/// Something that a device-wide step still has to do to one app, before anything else happens.
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
