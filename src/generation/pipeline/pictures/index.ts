export { drawPictures, type WantedPicture } from './draw-pictures.ts'
export { makeImage } from './make-image.ts'
