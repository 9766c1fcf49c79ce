import { randomUUID } from 'node:crypto'
import { completed } from '../../support/webhooks.ts'
import type { HostedSite, SiteServer } from '../sites/server.ts'
import { call } from './api.ts'
import type { Secrets } from './secrets.ts'
import type { Service } from './service.ts'

/** Kinds of things that an account has, by the ids under which the API shows them. */
export type Kind = 'site' | 'source' | 'key' | 'link' | 'delivery' | 'event' | 'bulk'

/** An account with something of everything. */
export interface Party {
  id: string
  key: string
  site: HostedSite
  siteId: string
  /** Of a source whose webhooks need no signature. */
  token: string
  /** Of one whose webhooks have to be signed. */
  signedToken: string
  /** Of an open connect link. */
  linkToken: string
  ids: Record<Kind, string[]>
}

interface Account {
  id: string
  key: string
  name: string
}

/** Gives a new account a site, sources, keys, a connect link, a delivered document and one that waits. */
export async function furnish(
  service: Service,
  secrets: Secrets,
  server: SiteServer,
  { id, key, name }: Account,
): Promise<Party> {
  const site = server.add()
  secrets.add(`the API key of ${name}`, key)
  const make = async <Data>(path: string, body: unknown): Promise<Data> => {
    const { status, json, body: said } = await call<Data>(service.port, key, 'POST', path, body)
    if (json.data === undefined) throw new Error(`POST ${path} answered ${status}: ${said}`)
    return json.data
  }
  const connected = await connectSite(service, secrets, key, site, {
    name: `${name} site`,
    labels: [`${name} label`],
  })
  const source = await make<{ id: string; url: string }>('/v1/sources', { name: `${name} source` })
  const token = lastPart(source.url)
  secrets.add(`a webhook token of ${name}`, token)
  const upstreamKey = `upstream-${randomUUID()}`
  secrets.add(`an upstream key of ${name}`, upstreamKey)
  const signed = await make<{ id: string; url: string; signing_secret: string }>('/v1/sources', {
    name: `${name} signed`,
    signing_secret: true,
    upstream_base_url: 'https://api.example.com/v1',
    upstream_api_key: upstreamKey,
  })
  secrets.add(`a webhook token of ${name}`, lastPart(signed.url))
  secrets.add(`a signing secret of ${name}`, signed.signing_secret)
  const other = await make<{ id: string; key: string }>('/v1/keys', { name: `${name} key` })
  secrets.add(`an API key of ${name}`, other.key)
  const link = await make<{ id: string; link: string }>('/v1/connect-links', {
    url: server.add().url,
    asked_by: `${name} link`,
  })
  const linkToken = lastPart(link.link)
  secrets.add(`a connect link of ${name}`, linkToken)
  for (const siteId of [connected, randomUUID()]) {
    const document = completed({ siteId, title: `${name} document` })
    const { status, body } = await call(service.port, key, 'POST', `/v1/webhooks/${token}`, document)
    if (status !== 202) throw new Error(`a good webhook was answered ${status}: ${body}`)
  }
  const bulk = await make<{ id: string }>('/v1/bulk', { action: 'check', filter: {} })
  const list = async (what: string) =>
    (await call<{ id: string }[]>(service.port, key, 'GET', `/v1/${what}`)).json.data?.map(
      (item) => item.id,
    ) ?? []
  return {
    id,
    key,
    site,
    siteId: connected,
    token,
    signedToken: lastPart(signed.url),
    linkToken,
    ids: {
      site: [connected],
      source: [signed.id],
      key: [other.id],
      link: [link.id],
      delivery: await list('deliveries'),
      event: await list('events'),
      bulk: [bulk.id],
    },
  }
}

/** Connects a simulated site, without sending the doctor. @returns its id */
export async function connectSite(
  service: Service,
  secrets: Secrets,
  key: string,
  { url, wordpress: { username, password } }: HostedSite,
  requested: Record<string, unknown> = {},
): Promise<string> {
  secrets.add(`the password of ${url}`, password)
  secrets.add(`the credentials of ${url}`, Buffer.from(`${username}:${password}`).toString('base64'))
  const body = { url, username, application_password: password, ...requested }
  const {
    status,
    json,
    body: said,
  } = await call<{ id: string }>(service.port, key, 'POST', '/v1/sites?check=false', body)
  if (status !== 201 || json.data === undefined) throw new Error(`POST /v1/sites answered ${status}: ${said}`)
  return json.data.id
}

const lastPart = (url: string): string => url.slice(url.lastIndexOf('/') + 1)
