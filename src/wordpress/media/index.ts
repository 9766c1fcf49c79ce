export type { FileSources, FindStoredFile } from './download.ts'
export { downloadFile, inspectFile } from './download.ts'
export { type DownloadFailureCode, downloadFailures } from './download-failures.ts'
export type { FileKind, InspectedFile, MediaUpload } from './file-type.ts'
export { chooseFileName, FILE_HEAD_BYTES } from './file-type.ts'
export {
  deleteMedia,
  findExistingMedia,
  findMediaByMarker,
  findMediaOfPost,
  findMediaVariants,
  getMedia,
  uploadMedia,
} from './library.ts'
export { preparePicture } from './prepare.ts'
