/** A file to be kept. */
export interface NewFile {
  accountId: string
  /** Its MIME type, as it is served. */
  type: string
  /** `png`, `mp3`: the ending of its address. */
  extension: string
  body: Buffer | AsyncIterable<Buffer>
  /** Whether it is served at its address, or kept for a job alone. */
  served: boolean
}

/** A file that is kept. */
export interface KeptFile {
  /** The last part of its address, without the ending; how a row names it. */
  token: string
  /** Where it is served; null where it is not. */
  url: string | null
  type: string
  bytes: number
}

/** Where files that Galley makes are kept: the data folder, or a store that speaks S3. */
export interface Storage {
  /** Resolves when it is on disk, whole. @throws GenerationError `STORAGE_FAILED` */
  keep(file: NewFile): Promise<KeptFile>
  /** The whole of a file. @throws GenerationError `STORAGE_FAILED` where it is gone or cannot be read */
  read(token: string): Promise<Buffer>
  /** The file that is served at this address, where it is one of ours; undefined for any other address. */
  own(url: string): Promise<{ type: string; body: Buffer } | undefined>
}
