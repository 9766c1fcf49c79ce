export type { Taxonomy, TermRequest } from './find-or-create.ts'
export { fetchTermNames } from './find-or-create.ts'
export { applyAlias, isSameTermName } from './names.ts'
export { createDryRunTermMaker, isDryRunTerm, resolveTerms } from './resolve.ts'
