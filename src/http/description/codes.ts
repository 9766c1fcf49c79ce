import { OF_THE_SITE } from './parts.ts'

/** What a site answers, or what stands at its address, has a code and a sentence of its own. */
const site = [OF_THE_SITE]

/**
 * The codes of the failures that are particular to a call, by status, beside those of every call. What is listed is all
 * there is: the tests hold every answer that they see against it.
 */
export const codesOf: Readonly<Record<string, Readonly<Record<number, readonly string[]>>>> = {
  connectSite: { 409: ['SITE_ID_TAKEN', 'SITE_CONNECTED_ALREADY', 'SITE_CHANGED'], 422: site },
  updateSite: { 409: ['SITE_CONNECTED_ALREADY', 'SITE_CHANGED'], 422: site },
  removeSite: { 409: ['PASSWORD_UNKNOWN', 'SITE_CHANGED'], 422: site },
  checkSite: { 409: ['SITE_CHANGED'] },
  checkSites: { 422: ['LABEL_UNKNOWN'], 429: ['TOO_MANY_JOBS'] },
  createBulk: { 429: ['TOO_MANY_JOBS'] },
  createImport: { 422: ['CSV_UNREADABLE'], 429: ['TOO_MANY_JOBS'] },
  listSites: { 422: ['CURSOR_UNFIT'] },
  importSites: { 422: ['CSV_UNREADABLE'] },
  previewDocument: { 422: site, 503: ['MEMORY_BUSY'] },
  getSiteStyles: { 422: site, 503: ['MEMORY_BUSY'] },
  createConnectLink: { 409: ['SITE_ID_TAKEN'], 422: site },
  createSource: { 422: ['UPSTREAM_ADDRESS_NEEDED', 'UPSTREAM_NEEDED'] },
  backfillSource: { 422: ['UPSTREAM_NEEDED'] },
  removeSource: { 409: ['SOURCE_BUILT_IN', 'SOURCE_IN_USE'] },
  updateSource: {
    409: ['SOURCE_BUILT_IN'],
    422: ['UPSTREAM_KEY_NEEDED', 'UPSTREAM_ADDRESS_NEEDED', 'UPSTREAM_NEEDED'],
  },
  rotateSource: { 409: ['SOURCE_BUILT_IN'] },
  getEvent: { 503: ['MEMORY_BUSY'] },
  listDeliveries: { 422: ['CURSOR_UNFIT'] },
  getDelivery: { 404: ['DELIVERY_NOT_FOUND'] },
  cancelDelivery: { 404: ['DELIVERY_NOT_FOUND'], 409: ['DELIVERY_UNDER_WAY', 'DELIVERY_DONE'] },
  retryDelivery: {
    404: ['DELIVERY_NOT_FOUND'],
    409: ['DELIVERY_UNDER_WAY', 'DELIVERY_HAS_POST', 'DELIVERY_EXISTS', 'DOCUMENT_THINNED'],
    422: ['SITE_UNKNOWN'],
  },
  beginSession: { 409: ['SIGNED_IN_ALREADY'] },
  createKey: { 422: ['KEY_LIMITED_OWNER', 'KEY_EXPIRED_ALREADY', 'SITE_UNKNOWN'] },
  updateKey: { 409: ['LAST_KEY'], 422: ['KEY_EXPIRED_ALREADY'] },
  rotateKey: { 409: ['KEY_ENDED'], 422: ['KEY_EXPIRED_ALREADY'] },
  revokeKey: { 409: ['LAST_KEY'] },
  changeAccount: { 409: ['OWN_ACCOUNT'] },
  grantCredits: { 422: ['TOO_MANY_CREDITS'] },
  repeatNotification: { 409: ['NOTIFICATION_THINNED', 'RECEIVER_REMOVED'] },
  createReceiver: { 403: ['RECEIVER_TOO_WIDE'], 409: ['TOO_MANY_RECEIVERS'] },
  updateReceiver: { 403: ['RECEIVER_TOO_WIDE'] },
}
