import type { Readable } from 'node:stream'

export interface NewFile {
  accountId: string
  /** Its MIME type, as it is served. */
  type: string
  /** `png`, `mp3`: the ending of its address. Lower-case letters and digits. */
  extension: string
  body: Buffer | AsyncIterable<Buffer>
  /** Whether it is served at its address, or kept for a job alone. */
  served: boolean
}

interface StoredFileRef {
  /** The last part of its address, without the ending; how a row names it. */
  token: string
  /** Where it is served; null where it is not. */
  url: string | null
  type: string
  bytes: number
}

/** Some of the bytes of a file: from the first to the last of these, counted from 0, both included. */
export interface ByteRange {
  start: number
  end: number
}

/** A file as whoever knows its address gets it. Nothing of it is in memory yet. */
export interface ServedFile {
  name: string
  type: string
  bytes: number
  /** SHA-256 of its bytes, in hexadecimal. */
  sha256: string
  createdAt: Date
  /** Milliseconds until it goes; null for never. */
  expiresInMs: number | null
  /** To be read to the end or destroyed. @throws GenerationError `STORAGE_FAILED` where it is unreadable */
  open(range?: ByteRange): Promise<Readable>
}

/** Where files that Galley makes are kept: the data folder, or a store that speaks S3. */
export interface Storage {
  /** Stores a file durably, or nothing of it. @throws GenerationError `STORAGE_FAILED`; what `body` throws */
  keep(file: NewFile): Promise<StoredFileRef>
  /** The whole of a file. @throws GenerationError `STORAGE_FAILED` where it is gone or cannot be read */
  read(token: string): Promise<Buffer>
  /** Removes files now, or on a later night where the store fails. Missing ones are ignored. */
  remove(tokens: readonly string[]): Promise<void>
  /** The file of this name, `<token>.<extension>`, where one is served and its time is not over. */
  served(name: string): Promise<ServedFile | undefined>
  /** The file at one of our addresses; `gone` where there is none; undefined for a foreign address. */
  own(url: string): Promise<ServedFile | 'gone' | undefined>
}
