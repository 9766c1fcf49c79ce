import type { DownloadFailureCode } from './catalogue.ts'

interface Kind {
  /** What WordPress takes of this kind without a plugin, by sniffed type, with the extension it expects. */
  types: Record<string, string>
  accept: string
  failures: {
    unreachable: DownloadFailureCode
    missing: DownloadFailureCode
    wrong: DownloadFailureCode
    tooBig: DownloadFailureCode
  }
}

/** `wp_get_mime_types` is the reference. SVG is left out: WordPress refuses it, and it can carry scripts. */
export const kinds = {
  picture: {
    types: {
      'image/jpeg': 'jpg',
      'image/png': 'png',
      'image/apng': 'png',
      'image/gif': 'gif',
      'image/webp': 'webp',
      'image/avif': 'avif',
      'image/heic': 'heic',
    },
    accept: 'image/avif,image/webp,image/png,image/jpeg,image/gif,image/*;q=0.5',
    failures: {
      unreachable: 'picture_unreachable',
      missing: 'picture_missing',
      wrong: 'picture_not_an_image',
      tooBig: 'picture_too_big',
    },
  },
  audio: {
    types: {
      'audio/mpeg': 'mp3',
      'audio/ogg': 'ogg',
      'audio/wav': 'wav',
      'audio/x-m4a': 'm4a',
      'audio/flac': 'flac',
    },
    accept: 'audio/*',
    failures: {
      unreachable: 'audio_unreachable',
      missing: 'audio_missing',
      wrong: 'audio_not_audio',
      tooBig: 'audio_too_big',
    },
  },
} satisfies Record<string, Kind>

export type FileKind = keyof typeof kinds
