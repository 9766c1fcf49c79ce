import { describe, expect, it, onTestFinished } from 'vitest'
import type { Action, AtFault } from '../../src/errors.ts'
import { createClient, type WordPressClient } from '../../src/wordpress/client/client.ts'
import { fetchCurrentUser } from '../../src/wordpress/discover/current-user.ts'
import { discover } from '../../src/wordpress/discover/discover.ts'
import type { FailureCode } from '../../src/wordpress/failures/catalogue.ts'
import { deleteMedia, uploadMedia } from '../../src/wordpress/media/library.ts'
import { deletePost, findPostsByMarker } from '../../src/wordpress/posts/find.ts'
import { fillPost, reservePost, trashPost } from '../../src/wordpress/posts/write.ts'
import {
  alter,
  answer,
  type Fault,
  pages,
  type Reply,
  redirectTo,
  restError,
  withHeaders,
  withoutHeaders,
} from '../support/proxy/index.ts'
import { misbehavingSite } from '../support/wordpress/index.ts'
import { picture } from './files.ts'
import { errorOf, through } from './proxied.ts'
import { behindTls, clientAs, connectionAs, outbound, unique } from './site.ts'

const postType = 'posts'
interface Row {
  /** A part of the sentence that nothing else says. */
  reads: string
  fault: AtFault
  action: Action
  /** Makes the failure happen. */
  provoke: () => Promise<unknown>
}

interface AnsweredRow {
  reads: string
  /** What a read is answered; a write is sent the same and may have been carried out unless `harmless`. */
  answers: Reply
  action?: Action
  fault?: AtFault
  harmless?: boolean
}

const find = (client: WordPressClient) => findPostsByMarker(client, { postType, marker: 'galley-nothing' })
const reserve = (client: WordPressClient) =>
  reservePost(client, { postType, title: 'Harbour', marker: unique('galley') })

/** Failures that whoever stands before WordPress answers, to reads and writes alike. */
const answered = {
  site_error: { reads: 'failed with a server error (HTTP 500)', answers: pages.serverError },
  php_fatal_error: { reads: 'acme_setup() in /home/site', answers: pages.phpFatal },
  database_down: { reads: 'cannot reach its database', answers: pages.databaseDown },
  maintenance_mode: { reads: 'is in maintenance mode', answers: pages.maintenance, harmless: true },
  maintenance_page: {
    reads: 'is closed for maintenance, by a plugin or its host',
    answers: pages.maintenancePage,
    harmless: true,
  },
  locked_out: {
    reads: 'after too many failed logins: “Too many failed login attempts. Please try again in 20 minutes”',
    answers: restError(
      401,
      'too_many_retries',
      'Too many failed login attempts. Please try again in 20 minutes.',
    ),
    harmless: true,
  },
  rate_limited: { reads: 'asks for fewer requests', answers: pages.tooMany, harmless: true },
  gateway_error: { reads: 'got no answer from WordPress', answers: pages.badGateway },
  redirected: {
    reads: 'now redirects its REST API to https://www.blog.example/wp-json/',
    answers: redirectTo('https://www.blog.example/wp-json/'),
    harmless: true,
  },
  parking_page: { reads: 'shows a domain parking page', answers: pages.parking, harmless: true },
  login_wall: { reads: 'puts a login in front of its REST API', answers: pages.loginWall, harmless: true },
  rest_api_disabled: {
    reads: 'is switched off: “Only members here”',
    answers: restError(401, 'rest_login_required', 'Only members here.'),
    harmless: true,
  },
  visitors_refused: {
    reads: 'before WordPress has checked who is signing in: “You are not authorized to perform this action”',
    answers: restError(500, 'wp_die', 'You are not authorized to perform this action.'),
    fault: 'owner',
    action: 'owner',
    harmless: true,
  },
  not_found: { reads: 'is not where it was', answers: pages.notFound, harmless: true },
  answer_unreadable: { reads: 'something that is not JSON', answers: pages.homePage },
  answer_unexpected: {
    reads: 'answered with JSON that WordPress does not send',
    answers: {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from('{"ok":true}'),
    },
  },
  firewall_cloudflare: { reads: 'ray 8f2a6c1e9b3d4a57', answers: pages.cloudflareBlock },
  cloudflare_challenge: { reads: 'asks for a browser check', answers: pages.cloudflareChallenge },
  firewall_wordfence: {
    reads: 'block reason: Exceeded the maximum number of requests',
    answers: pages.wordfence,
  },
  firewall_modsecurity: { reads: 'unique id: ZxY3abCdEf1234567890Qw', answers: pages.modsecurity },
  firewall_sucuri: { reads: 'block id: EVA016', answers: pages.sucuri },
  firewall_imunify: { reads: 'Imunify360', answers: pages.imunify },
  firewall_captcha: { reads: 'answers with a captcha (sgcaptcha)', answers: pages.captcha },
  firewall_challenge: { reads: 'asked for a browser check', answers: pages.cookieCheck },
  account_suspended: {
    reads: 'has suspended it (“Account Suspended”)',
    answers: pages.suspended,
    harmless: true,
  },
  firewall_blocked: {
    reads: 'a page called “Request Rejected”). It is a firewall or a security plugin, not the password',
    answers: pages.unknownFirewall,
  },
  https_expected: {
    reads: 'expects https and was called over plain http',
    answers: {
      status: 400,
      headers: { 'content-type': 'text/html' },
      body: Buffer.from('<title>400 The plain HTTP request was sent to HTTPS port</title>'),
    },
    fault: 'owner',
    action: 'owner',
    harmless: true,
  },
  username_unknown: {
    reads: 'has no user by the name given',
    answers: restError(401, 'invalid_username', '<strong>Error:</strong> Unknown username.'),
    fault: 'owner',
    action: 'owner',
    harmless: true,
  },
  request_refused: {
    reads: 'refused while',
    answers: restError(400, 'acme_rejected', 'Too many adjectives.'),
    fault: 'delivery',
    action: 'permanent',
  },
  upload_quota_full: {
    reads: 'The upload space of',
    answers: restError(400, 'rest_upload_user_quota_exceeded', 'You have used your space quota.'),
    fault: 'delivery',
    action: 'permanent',
    harmless: true,
  },
  upload_too_big: {
    reads: 'larger than',
    answers: pages.tooLarge,
    fault: 'delivery',
    action: 'permanent',
    harmless: true,
  },
} satisfies Partial<Record<FailureCode, AnsweredRow>>

/** Failures that WordPress itself answers, made on the real one; or that take more than one answer. */
const provoked = {
  rest_route_missing: {
    reads: 'has no REST route for reserving the post',
    fault: 'site',
    action: 'retry',
    provoke: () =>
      reservePost(clientAs('author'), { postType: 'galleys', title: 'Harbour', marker: 'galley-x' }),
  },
  authorization_stripped: {
    reads: 'removes the Authorization header',
    fault: 'owner',
    action: 'owner',
    provoke: async () =>
      fetchCurrentUser((await through(withoutHeaders('authorization'), { rewriteUrls: true })).client, {
        justMade: true,
      }),
  },
  password_wrong: {
    reads: 'does not accept the application password',
    fault: 'owner',
    action: 'owner',
    provoke: () =>
      fetchCurrentUser(
        createClient({ ...connectionAs('author'), applicationPassword: 'a login password' }, outbound),
      ),
  },
  not_logged_in: {
    reads: 'treats Galley as a visitor',
    fault: 'owner',
    action: 'owner',
    provoke: () =>
      fetchCurrentUser(
        createClient({ ...connectionAs('author'), applicationPassword: 'a'.repeat(24) }, outbound),
      ),
  },
  application_passwords_off: {
    reads: 'Application passwords are switched off',
    fault: 'owner',
    action: 'owner',
    provoke: async () => {
      const off = alter('an index without application passwords', (reply) => ({
        ...reply,
        body: Buffer.from(JSON.stringify({ ...JSON.parse(reply.body.toString()), authentication: [] })),
      }))
      const { client, proxy } = await through(off, { match: { path: '/' } })
      proxy.rule({}, withoutHeaders('authorization'))
      return fetchCurrentUser(client)
    },
  },
  https_unseen: {
    reads: 'does not know that it is reached over https',
    fault: 'owner',
    action: 'owner',
    provoke: async () => {
      const { client } = await through(withHeaders({ 'x-galley-test': 'no-application-passwords' }), {
        rewriteUrls: true,
      })
      const plugins = await misbehavingSite('')
      onTestFinished(() => plugins.close())
      const site = { ...client.site, restRoot: client.site.restRoot.replace('http:', 'https:') }
      return fetchCurrentUser(createClient(site, behindTls))
    },
  },
  not_wordpress: {
    reads: 'there is no WordPress with a REST API; it shows a page called “My blog”',
    fault: 'owner',
    action: 'owner',
    provoke: async () => discover(outbound, (await through(answer(pages.homePage))).proxy.url),
  },
  rights_missing: {
    reads: 'is not allowed to do this: reserving the post',
    fault: 'owner',
    action: 'owner',
    provoke: () => reserve(clientAs('subscriber')),
  },
  cannot_publish: {
    reads: 'is not allowed to publish',
    fault: 'owner',
    action: 'owner',
    provoke: async () => {
      const { id } = await reserve(clientAs('contributor'))
      const client = clientAs('contributor')
      try {
        return await fillPost(client, { postType, id, fields: { status: 'publish' } })
      } finally {
        await deletePost(clientAs('administrator'), { postType, id })
      }
    },
  },
  cannot_upload: {
    reads: 'is not allowed to upload files',
    fault: 'owner',
    action: 'owner',
    provoke: () => upload('contributor', 'harbour.png'),
  },
  cannot_create_terms: {
    reads: 'is not allowed to create categories or tags',
    fault: 'owner',
    action: 'owner',
    provoke: () => category('author', { name: unique('Harbour') }),
  },
  answer_of_another: {
    reads: 'gave an answer that belongs to another request while filling the post',
    fault: 'delivery',
    action: 'owner',
    provoke: async () => {
      const { id } = await reserve(clientAs('author'))
      const other = await reserve(clientAs('author'))
      const elsewhere: Fault = {
        name: 'the answer for another post',
        apply: async ({ forward, reply, request }) =>
          reply(await forward({ url: request.url.replace(`/posts/${id}`, `/posts/${other.id}`) })),
      }
      const { client } = await through(elsewhere, { match: { method: 'POST' } })
      try {
        return await fillPost(client, { postType, id, fields: { excerpt: 'Cold' } })
      } finally {
        await deletePost(clientAs('author'), { postType, id })
        await deletePost(clientAs('author'), { postType, id: other.id })
      }
    },
  },
  post_gone: {
    reads: 'somebody deleted it',
    fault: 'delivery',
    action: 'permanent',
    provoke: async () => {
      const { id } = await reserve(clientAs('author'))
      await deletePost(clientAs('author'), { postType, id })
      return fillPost(clientAs('author'), { postType, id, fields: { title: 'Again' } })
    },
  },
  media_gone: {
    reads: 'The file in the media library of',
    fault: 'delivery',
    action: 'permanent',
    provoke: async () => {
      const { id } = await upload('author', 'harbour.png')
      await deleteMedia(clientAs('author'), { id })
      return clientAs('author').request({
        method: 'POST',
        path: `/wp/v2/media/${id}`,
        data: { alt_text: 'Again' },
        doing: 'describing a file of the media library',
        subject: 'media',
      })
    },
  },
  term_gone: {
    reads: 'is no longer there (while reading a category)',
    fault: 'delivery',
    action: 'permanent',
    provoke: () =>
      clientAs('editor').request({
        path: '/wp/v2/categories/99999999',
        doing: 'reading a category',
        subject: 'term',
      }),
  },
  term_exists: {
    reads: 'has this category or tag already',
    fault: 'delivery',
    action: 'permanent',
    provoke: () => besideCategory((name) => category('editor', { name })),
  },
  term_slug_taken: {
    reads: 'another category or tag with the same slug',
    fault: 'delivery',
    action: 'permanent',
    provoke: () =>
      besideCategory((name) =>
        besideCategory((_, id) => category('editor', { slug: name.toLowerCase() }, id)),
      ),
  },
  field_refused: {
    reads: 'refused a field while filling the post',
    fault: 'delivery',
    action: 'permanent',
    provoke: async () => {
      const { id } = await reserve(clientAs('editor'))
      try {
        return await clientAs('editor').request({
          ...{ method: 'POST', path: `/wp/v2/posts/${id}`, data: { status: 'nowhere' } },
          ...{ doing: 'filling the post', subject: 'post' },
        })
      } finally {
        await deletePost(clientAs('editor'), { postType, id })
      }
    },
  },
  setting_refused: {
    reads: 'does not accept what the site’s setting “author” names',
    fault: 'owner',
    action: 'owner',
    provoke: () =>
      reservePost(clientAs('editor'), { postType, title: 'Of nobody', marker: null, author: 99999999 }),
  },
  trash_off: {
    reads: 'has no trash',
    fault: 'delivery',
    action: 'owner',
    provoke: async () => {
      const { id } = await reserve(clientAs('author'))
      const site = await misbehavingSite('no-trash')
      const client = clientAs('author', { restRoot: `${site.url}/wp-json/` })
      return trashPost(client, { postType, id }).finally(() => site.close())
    },
  },
  upload_refused: {
    reads: 'did not store the file',
    fault: 'delivery',
    action: 'permanent',
    provoke: () => upload('author', 'harbour.sh'),
  },
  value_refused: {
    reads: 'does not take the character “𝒳” (U+1D4B3)',
    fault: 'delivery',
    action: 'owner',
    provoke: async () => {
      const site = await misbehavingSite('utf8mb3')
      const client = clientAs('editor', { restRoot: `${site.url}/wp-json/` })
      return reservePost(client, { postType, title: 'Of 𝒳', marker: null }).finally(() => site.close())
    },
  },
} satisfies Partial<Record<FailureCode, Row>>

/** No row of the catalogue is without its test: a new one does not compile before it is here. */
const rows = { ...answered, ...provoked } satisfies Record<FailureCode, AnsweredRow | Row>

const upload = (role: 'author' | 'contributor', fileName: string) =>
  uploadMedia(clientAs(role), {
    bytes: picture(2, 2),
    mimeType: 'image/png',
    fileName,
    marker: unique('galley'),
  })

const category = (role: 'author' | 'editor', data: object, id?: number) =>
  clientAs(role).request({
    method: 'POST',
    path: id === undefined ? '/wp/v2/categories' : `/wp/v2/categories/${id}`,
    data,
    doing: 'writing a category',
    subject: 'term',
  })

/** With a category of its own on the site, for as long as it takes. */
async function besideCategory(act: (name: string, id: number) => Promise<unknown>): Promise<unknown> {
  const name = unique('Harbour')
  const { data } = await category('editor', { name })
  const { id } = data as { id: number }
  try {
    return await act(name, id)
  } finally {
    const path = `/wp/v2/categories/${id}`
    const query = { force: true }
    await clientAs('editor').request({ method: 'DELETE', path, query, doing: 'deleting it', subject: 'term' })
  }
}

const asOk = (reply: Reply): Reply => ({ ...reply, status: 200 })

describe('what a person reads', () => {
  for (const [code, row] of Object.entries<AnsweredRow | Row>(rows)) {
    if ('provoke' in row) {
      it(`${code}: “… ${row.reads} …”`, async () => {
        expect(await errorOf(row.provoke())).toMatchObject({
          code,
          fault: row.fault,
          action: row.action,
          message: expect.stringContaining(row.reads),
        })
      })
      continue
    }
    const { reads, answers, fault = 'site', action = 'retry', harmless = false } = row
    it(`${code}: “… ${reads} …”`, async () => {
      const { client } = await through(answer(answers))
      const expected = { code, fault, message: expect.stringContaining(reads) }
      expect(await errorOf(find(client))).toMatchObject({ ...expected, action })
      expect(await errorOf(reserve(client))).toMatchObject({
        ...expected,
        action: harmless ? action : 'ambiguous',
      })
    })
  }

  it('names the site in every sentence', async () => {
    const { client, proxy } = await through(answer(pages.serverError))
    expect(await errorOf(find(client))).toMatchObject({ message: expect.stringContaining(client.site.name) })
    expect(proxy.requests).toHaveLength(1)
  })
})

/** Of the server behind Cloudflare, which adds its headers to every answer. */
const throughCloudflare = (status: number, body: string): Reply => ({
  status,
  headers: { 'content-type': 'text/html', server: 'cloudflare', 'cf-ray': '8f2a6c1e9b3d4a57-AMS' },
  body: Buffer.from(body),
})

describe('the same failure in another dress', () => {
  const dressed: [FailureCode, string, Reply][] = [
    ['maintenance_mode', 'maintenance, reported as JSON', pages.maintenanceJson],
    [
      'maintenance_page',
      'maintenance by a plugin',
      restError(503, 'rest_cannot_access', 'Maintenance is active, REST API disabled.'),
    ],
    ['php_fatal_error', 'WordPress’s own page for a critical error', pages.criticalError],
    ['php_fatal_error', 'a critical error, reported as JSON', pages.criticalErrorJson],
    ['php_fatal_error', 'a notice, and no answer behind it', pages.noticeThenNothing],
    [
      'php_fatal_error',
      'a notice, and no answer behind it, as a 200',
      { ...pages.noticeThenNothing, status: 200 },
    ],
    ['gateway_error', 'Cloudflare without its origin', pages.cloudflareOriginDown],
    ['firewall_cloudflare', 'Cloudflare in a line', throughCloudflare(403, 'error code: 1020')],
    [
      'not_found',
      'a missing page behind Cloudflare, with its script, a captcha and a login',
      throughCloudflare(
        404,
        '<link href="/wp-content/a.css"><input type="password"><script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script><script src="/recaptcha/api.js"></script>',
      ),
    ],
    ['firewall_wordfence', 'Wordfence’s firewall', pages.wordfenceFirewall],
    ['login_wall', 'HTTP authentication', pages.basicAuth],
    ['answer_unreadable', 'nothing at all', pages.blank],
    ['redirected', 'a temporary redirect', redirectTo('https://www.blog.example/', 302)],
    ['rest_api_disabled', 'a plugin that closes the API', restError(403, 'rest_cannot_access', 'No.')],
    ['rights_missing', 'a plugin’s own word for no rights', restError(403, 'acme_no', 'No.')],
    ['not_logged_in', 'a right that is refused to visitors', restError(401, 'rest_cannot_create', 'No.')],
    ['site_error', 'an unknown error of WordPress’s own', restError(500, 'db_insert_error', 'No.')],
  ]
  for (const [code, what, reply] of dressed) {
    it(`${code}: ${what}`, async () => {
      const { client } = await through(answer(reply))
      expect(await errorOf(find(client))).toMatchObject({ code })
    })
  }

  const told: [FailureCode, string, Reply, words: string][] = [
    ['maintenance_mode', 'maintenance in German', pages.maintenanceInGerman, 'is in maintenance mode'],
    ['maintenance_mode', 'the same as JSON', pages.maintenanceJsonInJapanese, 'is in maintenance mode'],
    [
      'maintenance_page',
      'maintenance by a plugin, in Spanish',
      restError(503, 'cerrado', 'Sitio en mantenimiento.'),
      '“Sitio en mantenimiento”',
    ],
    [
      'site_error',
      'WordPress’s own page for a critical error, in German',
      pages.criticalErrorInGerman,
      '“Es gab einen kritischen Fehler auf deiner Website”',
    ],
    ...['Du bist nicht berechtigt, diese Aktion durchzuführen.', 'Vous n’êtes pas autorisé à le faire.'].map(
      (words): [FailureCode, string, Reply, string] => [
        'visitors_refused',
        `All In One Security, ${words}`,
        restError(500, 'wp_die', words),
        words.slice(0, -1),
      ],
    ),
    [
      'request_refused',
      'a plugin that does not let publish, in German',
      restError(500, 'wp_die', 'Bitte vor dem Veröffentlichen ein Beitragsbild wählen.'),
      'ein Beitragsbild',
    ],
    // As PHP answers where something was printed before the headers, and nothing keeps it back.
    ['rights_missing', 'a refusal, as a 200', asOk(restError(403, 'acme_no', 'No.')), 'is not allowed to'],
    ['not_logged_in', 'a visitor, as a 200', asOk(restError(401, 'rest_forbidden', 'No.')), 'as a visitor'],
    ['site_error', 'a failure, as a 200', asOk(restError(500, 'db_insert_error', 'No.')), '(HTTP 500)'],
    ['locked_out', 'a lock, as a 200', asOk(restError(403, 'too_many_retries', 'No.')), 'has locked Galley'],
    // Each as WordPress 7.1 answered with that setting of PHP.
    [
      'firewall_blocked',
      'a plugin of the site behind Cloudflare',
      throughCloudflare(403, '<title>403 Forbidden</title><p>NinjaFirewall: Incident #1234567'),
      'The NinjaFirewall plugin on',
    ],
    [
      'upload_too_big',
      'a file beyond upload_max_filesize',
      restError(
        500,
        'rest_upload_unknown_error',
        'Die hochgeladene Datei überschreitet die Direktive upload_max_filesize in php.ini.',
      ),
      'The file is larger than',
    ],
    [
      'upload_too_big',
      'a form beyond post_max_size',
      restError(400, 'rest_upload_no_content_disposition', 'No Content-Disposition supplied.'),
      'The file is larger than',
    ],
    [
      'upload_refused',
      'uploads that PHP does not take',
      restError(400, 'rest_upload_no_data', 'No data supplied.'),
      'PHP takes no uploads (file_uploads',
    ],
    [
      'upload_refused',
      'a file that came empty',
      restError(
        500,
        'rest_upload_unknown_error',
        'File is empty. This could be caused by post_max_size being defined as smaller than upload_max_filesize in php.ini.',
      ),
      'File is empty',
    ],
  ]
  for (const [code, what, reply, words] of told)
    it(`${code}, and in which words: ${what}`, async () => {
      const { client } = await through(answer(reply))
      expect(await errorOf(find(client))).toMatchObject({ code, message: expect.stringContaining(words) })
    })

  it('does not say that there is no WordPress where its page for a failure is in another language', async () => {
    const { proxy } = await through(answer(pages.criticalErrorInGerman))
    expect(await errorOf(discover(outbound, proxy.url))).toMatchObject({ code: 'site_error', fault: 'site' })
  })

  it('reads an error that a cache turned into a 200', async () => {
    const disguised = { ...restError(404, 'rest_no_route', 'No route.'), status: 200 }
    const { client } = await through(answer(disguised))
    expect(await errorOf(find(client))).toMatchObject({ code: 'rest_route_missing' })
  })

  const inPlace: [FailureCode, string, number, object, string][] = [
    [
      'request_refused',
      'a REST error without its status',
      200,
      { code: 'acme', message: 'Too short.', data: null },
      'Too short',
    ],
    ['request_refused', 'wp_send_json_error', 200, { success: false, data: 'Too short.' }, 'Too short'],
    [
      'request_refused',
      'the same, with a member',
      400,
      { success: false, data: { message: 'Too short.' } },
      'Too short',
    ],
    [
      'request_refused',
      'the same, of a WP_Error',
      200,
      { success: false, data: [{ code: 'a', message: 'Too short.' }] },
      'Too short',
    ],
    [
      'firewall_blocked',
      'the same, with 403',
      403,
      { success: false, data: 'Blocked by policy.' },
      'Blocked by policy',
    ],
    ['site_error', 'the same, with 500', 500, { success: false, data: 'No disk.' }, 'No disk'],
  ]
  for (const [code, what, status, json, words] of inPlace)
    it(`${code}, in a plugin's words: ${what}`, async () => {
      const headers = { 'content-type': 'application/json' }
      const { client } = await through(answer({ status, headers, body: Buffer.from(JSON.stringify(json)) }))
      const message = expect.stringContaining(`“${words}”`)
      expect(await errorOf(find(client))).toMatchObject({ code, message })
    })

  it('never takes a firewall for bad credentials', async () => {
    for (const page of Object.values(pages).filter(({ status }) => status === 403)) {
      const { client } = await through(answer(page))
      expect(await errorOf(fetchCurrentUser(client))).toMatchObject({ fault: 'site' })
    }
  })
})
