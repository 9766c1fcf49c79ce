import type { GalleyError } from '../../errors.ts'
import type { OutboundResponse } from '../../outbound/index.ts'
import { failure, readPage, recognise } from '../failures/index.ts'
import { tagsOf } from '../html/tags.ts'

/** The failure for a page that led to no REST API: says what is there instead. */
export function identify(response: OutboundResponse): GalleyError {
  const context = {
    site: new URL(response.url).host,
    method: 'GET',
    doing: 'looking for WordPress',
    subject: 'site',
  } as const
  const page = readPage(response)
  const known = recognise(page)
  if (known) return failure(known.code, context, known.facts, response)
  if (isMadeByWordPress(response)) {
    return failure('rest_api_disabled', context, { said: 'the pages are made by WordPress' }, response)
  }
  return failure('not_wordpress', context, { found: inWords(page.title, page.text, response) }, response)
}

/** As far as a page betrays it. */
export const isMadeByWordPress = ({ body }: Pick<OutboundResponse, 'body'>): boolean =>
  /wp-content\/|wp-includes\/|content=["']WordPress/i.test(body.toString('utf8'))

function inWords(title: string, text: string, { status, headers }: OutboundResponse): string {
  const generator = tagsOf(text, ['meta'])
    .find(({ attributes }) => attributes.get('name')?.toLowerCase() === 'generator')
    ?.attributes.get('content')
    ?.slice(0, 80)
  const parts = [
    title ? `a page called “${title}”` : (headers['content-type'] ?? 'an empty answer'),
    ...(generator ? [`made by ${generator}`] : []),
    ...(status === 200 ? [] : [`HTTP ${status}`]),
  ]
  return parts.join(', ')
}
