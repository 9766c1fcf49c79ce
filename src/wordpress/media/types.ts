/** A picture or a sound file in memory, its type read from its own bytes. */
export interface DownloadedFile {
  bytes: Buffer
  /** `image/png`, `audio/mpeg`, … */
  mimeType: string
  /** Without a dot: `png`, `mp3`, … */
  extension: string
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

/** What `updateMedia` sets; a field left out is not sent. */
export interface MediaFields {
  title?: string
  altText?: string
  caption?: string
  description?: string
  postId?: number
}
