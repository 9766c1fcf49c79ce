/** What a file is, as its own first bytes say. */
export interface FileType {
  /** `image/png`, `audio/mpeg`, … */
  mimeType: string
  /** Without a dot: `png`, `mp3`, … */
  extension: string
}

/** A picture or a sound file in memory. Whoever asked for it releases it, whatever happens. */
export interface DownloadedFile extends FileType {
  bytes: Buffer
  /** Gives back what it holds of the budget of bytes. */
  release(): void
}

/** A file that was looked at and not kept. */
export interface InspectedFile extends FileType {
  /** Bytes. */
  size: number
  /** In pixels; null for a sound, and where the head of the file does not tell. */
  dimensions: { width: number; height: number } | null
}

export interface MediaUpload {
  bytes: Buffer
  mimeType: string
  /** With its extension; WordPress keeps it, but for a number where the name is taken. */
  fileName: string
  /** Becomes the slug, by which the attachment is found again. */
  marker: string
  title?: string
  /** WordPress strips tags from it. */
  altText?: string
  caption?: string
  /** The post it is attached to. */
  postId?: number
}
