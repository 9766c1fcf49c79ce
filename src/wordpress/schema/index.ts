export { type PostSchema, readPostSchema } from './post-schema.ts'
export { type PostType, readPostTypes } from './post-types.ts'
export { type SeoField, seoFieldOf, seoFields } from './seo.ts'
