/**
 * For an answer with bytes of somebody else's: a page of another origin may show it, and opened by itself it can do nothing
 * and is taken for nothing else than its type says.
 */
export const SANDBOXED = {
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Content-Security-Policy': "default-src 'none'; sandbox",
} as const
