// All else that is compiled here, in Swift 5's language mode, are the sources of SeamTests:
// the plugin SameSources brings them.
#if swift(>=6)
  #error("This target is for Swift 5's language mode")
#endif
