export { findByline } from './find.ts'
export { BYLINE_FIELDS, type BylinePlugin, bylinePlugins } from './plugins.ts'
