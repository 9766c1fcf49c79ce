export { findTerm, termNames } from './find.ts'
export { isPlanned, planningMaker } from './plan.ts'
export { resolveTerms } from './resolve.ts'
export type { Taxonomy, Term, TermRequest } from './types.ts'
