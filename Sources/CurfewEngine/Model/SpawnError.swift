/// The error with which a process could not be started, by its name in C.
///
/// The names are those that Linux documents for creating a process, for executing a file
/// (`clone(2)`, `execve(2)`) and for making a cgroup. The numbers of errors differ between systems,
/// so a trace has the name.
public enum SpawnError: String, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// The arguments and the environment are too long.
  case argumentListTooLong = "E2BIG"
  /// The file may not be executed, or a folder on its path not be searched.
  case accessDenied = "EACCES"
  /// A limit on processes was reached.
  case tooManyProcesses = "EAGAIN"
  /// A descriptor is not open.
  case badDescriptor = "EBADF"
  /// The cgroup cannot hold processes now.
  case busy = "EBUSY"
  /// A quota is used up.
  case quotaExceeded = "EDQUOT"
  /// A file exists already.
  case exists = "EEXIST"
  /// An address is not valid.
  case badAddress = "EFAULT"
  /// An argument is not valid, or the file has several interpreters.
  case invalidArgument = "EINVAL"
  /// The file could not be read.
  case inputOutput = "EIO"
  /// The interpreter is a folder.
  case isDirectory = "EISDIR"
  /// The interpreter has an unknown format.
  case badInterpreter = "ELIBBAD"
  /// The path has too many symbolic links.
  case tooManyLinks = "ELOOP"
  /// The program has too many open files.
  case tooManyOpenFiles = "EMFILE"
  /// The path is too long.
  case nameTooLong = "ENAMETOOLONG"
  /// The system has too many open files.
  case tooManyOpenFilesInSystem = "ENFILE"
  /// The cgroup has been removed.
  case noDevice = "ENODEV"
  /// The file or its interpreter does not exist.
  case noEntry = "ENOENT"
  /// The file has an unknown format.
  case unknownFormat = "ENOEXEC"
  /// There is not enough memory.
  case outOfMemory = "ENOMEM"
  /// There is no room for another cgroup or namespace.
  case outOfSpace = "ENOSPC"
  /// The kernel does not have the system call.
  case notSupportedByKernel = "ENOSYS"
  /// A part of the path is not a folder.
  case notDirectory = "ENOTDIR"
  /// The cgroup cannot hold processes at all.
  case notSupported = "EOPNOTSUPP"
  /// The program may not do this.
  case notPermitted = "EPERM"
  /// The file system can only be read.
  case readOnly = "EROFS"
  /// A process does not exist.
  case noProcess = "ESRCH"
  /// The file is open for writing.
  case textBusy = "ETXTBSY"
  /// There are too many nested user namespaces.
  case tooManyUsers = "EUSERS"
  /// Another error, which has no name here.
  case other = "EOTHER"
}

extension SpawnError: FileNamed {
  /// The name in files.
  package var fileName: String { rawValue }
}
