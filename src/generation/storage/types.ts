import type { Readable } from 'node:stream'

/** A file to be kept. */
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

/** A file that is kept. */
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
  /** `<token>.<extension>`, the last part of its address. */
  name: string
  type: string
  bytes: number
  /** SHA-256 of its bytes, in hexadecimal. */
  sha256: string
  createdAt: Date
  /** Milliseconds until it goes; null for never. */
  expiresInMs: number | null
  /**
   * Opens it, or a part of it. Whoever opened it reads it to its end, or destroys it.
   *
   * @throws GenerationError `STORAGE_FAILED` where it is gone or cannot be read
   */
  open(range?: ByteRange): Promise<Readable>
}

/** Where files that Galley makes are kept: the data folder, or a store that speaks S3. */
export interface Storage {
  /**
   * Resolves when it is on disk, whole. What `body` itself throws is passed on, and nothing is left of the file.
   *
   * @throws GenerationError `STORAGE_FAILED`
   */
  keep(file: NewFile): Promise<StoredFileRef>
  /** The whole of a file. @throws GenerationError `STORAGE_FAILED` where it is gone or cannot be read */
  read(token: string): Promise<Buffer>
  /** A file in pieces, for what need not be in memory whole. @throws GenerationError `STORAGE_FAILED`, as `read` does */
  open(token: string): Promise<Readable>
  /**
   * Removes files at once, and those that their store does not remove now in one of the next nights. Of one that is gone
   * already nothing is said.
   */
  remove(tokens: readonly string[]): Promise<void>
  /** The file of this name, `<token>.<extension>`, where one is served and its time is not over. */
  served(name: string): Promise<ServedFile | undefined>
  /**
   * The file that is served at this address, where it is one of ours; `gone` where one of ours names no file (any more);
   * undefined for any other address.
   */
  own(url: string): Promise<ServedFile | 'gone' | undefined>
}
