import { asJson, asPage } from './answers.ts'
import { withLeaves } from './leaves.ts'
import type { Way } from './server.ts'

const STATUSES = [400, 401, 403, 404, 409, 410, 413, 418, 429, 451, 500, 502, 503, 504, 520, 526]

/** Answers that are well-formed and not true, or say what nobody may repeat. @param thief as somebody else's address */
export const lyingWays = (thief: string): Record<string, Way> => ({
  'says the password': ({ site }) =>
    asJson(
      JSON.stringify({
        code: 'rest_no',
        message: `No: ${site.wordpress.username}:${site.wordpress.password} is not allowed.`,
        data: { status: 403, given: site.wordpress.password },
      }),
      403,
    ),
  'has the password in every text': (exchange) =>
    withLeaves('string', (text) => `${text} ${exchange.site.wordpress.password}`)(exchange),
  'has the header in every text': (exchange) =>
    withLeaves('string', (text) => `${text} ${exchange.request.authorization}`)(exchange),
  'says the password on a page': ({ site, request }) =>
    asPage(
      `<title>Error for ${site.wordpress.password}</title><p>${request.authorization} ${encodeURIComponent(site.wordpress.password)}</p>`,
      500,
    ),
  'names somebody else': withLeaves('string', (text) =>
    String(text).replace(/http:\/\/127\.0\.0\.1:\d+/g, thief),
  ),
  'answers another id': withLeaves('number', (number) => Number(number) + 1),
  'answers a list': ({ honest }) => asJson(`[${JSON.stringify(honest.json ?? null)}]`),
  'answers nothing': () => asJson(''),
  'answers an error as 200': () => asJson('{"code":"rest_no","message":"No","data":{"status":403}}'),
  'answers another collection': () => asJson('[{"id":1,"name":"x"},{"id":2,"name":"y"}]', 200),
  'says created to everything': ({ honest }) => ({ ...honest, status: 201 }),
  'answers 204': () => ({ status: 204, headers: {}, text: '' }),
  'answers 299': ({ honest }) => ({ ...honest, status: 299 }),
  'answers 999': () => asPage('what', 999),
  'prints around it': ({ honest }) => ({
    ...honest,
    text: `<br />\n<b>Notice</b>: ${'<b>'.repeat(30_000)}\n${JSON.stringify(honest.json)}\n<!-- cached -->`,
  }),
  'an attachment id that is none': ({ honest }) => ({
    ...asJson('{"code":"internal","message":"x","data":{"status":500}}', 500),
    headers: { ...honest.headers, 'x-wp-upload-attachment-id': '99999999999999999999' },
  }),
  'a deep error': () =>
    asJson(`{"code":"rest_no","message":"x","data":${'['.repeat(9_000)}${']'.repeat(9_000)}}`, 400),
  'a large page': () => asPage(`<html>${'x'.repeat(8_000_000)}`, 200),
  ...Object.fromEntries(
    STATUSES.map((status): [string, Way] => [`answers ${status}`, ({ honest }) => ({ ...honest, status })]),
  ),
})
