/** The slug that marks a post as this document's until it is filled (docs/architecture.md, "Invariants"). */
export const postMarker = (documentId: string): string => `galley-${documentId}`
