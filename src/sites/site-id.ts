/** Names one site of one account. */
export interface SiteId {
  accountId: string
  id: string
}
