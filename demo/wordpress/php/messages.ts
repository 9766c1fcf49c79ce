import type { WordPress } from '../types.ts'

/** What the parent asks for, as the one argument of the process, in JSON. */
export interface ServerSettings {
  /** The kept tree. */
  root: string
  /** A folder for the database, the uploads and the must-use plugins; removed when the process ends. */
  state: string
  /** 0 for any free one. */
  port: number
}

/** What the process tells its parent, once. */
export type ServerMessage =
  | { type: 'ready'; wordpress: Pick<WordPress, 'url' | 'version' | 'users' | 'muPlugins'> }
  | { type: 'failed'; reason: string }
