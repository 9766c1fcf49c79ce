export { type PostSchema, readPostSchema, readPostSchemaIfTold } from './post-schema.ts'
export { type PostType, readPostTypes } from './post-types.ts'
export { type SeoField, seoFieldOf, seoFields } from './seo.ts'
