export { resolveTerms } from './resolve.ts'
export type { Taxonomy, TermRequest } from './types.ts'
