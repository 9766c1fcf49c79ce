import { discardDataDir } from './data-folder.ts'

// A program: removes the data folder that it is given, once the process that had it is gone.
await discardDataDir(process.argv[2] as string)
