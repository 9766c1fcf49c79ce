export { BYTES_OF_STYLES, readStyles, type SiteStyles } from './read.ts'
