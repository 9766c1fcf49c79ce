/** The slug that marks a post as this document's until it is filled (docs/architecture.md, "Invariants"). */
export const postMarker = (documentId: string): string => `galley-${documentId}`

const MARKER = /^galley-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/

/** Whether a slug marks something as another document's. */
export const isMarkerOfAnother = (slug: string, documentId: string): boolean =>
  MARKER.test(slug) && !slug.startsWith(postMarker(documentId))
