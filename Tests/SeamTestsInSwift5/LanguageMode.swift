// The plugin SameSources adds the sources of SeamTests, which are compiled here in Swift 5's
// language mode.
#if swift(>=6)
  #error("This target is for Swift 5's language mode")
#endif
