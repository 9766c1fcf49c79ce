import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { refusal } from '../errors.ts'
import { packageRoot } from '../lib/version.ts'
import { Html, type Page } from '../pages/page.ts'

/**
 * A page of `docs` to be read, with the anchors of its headings as GitHub has them. The forms of the dashboard link here.
 *
 * @param name `contract.md`
 * @throws GalleyError `NOT_FOUND`
 */
export async function guidePage(name: string): Promise<Page> {
  const path = join(packageRoot, 'docs', name)
  if (!/^[a-z]+\.md$/.test(name) || !existsSync(path))
    throw refusal('NOT_FOUND', 'There is no such file. Load /docs again.', 404)
  const { default: MarkdownIt } = await import('markdown-it')
  const markdown = new MarkdownIt()
  const tokens = markdown.parse(await readFile(path, 'utf8'), {})
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open') token.attrSet('id', anchorOf(tokens[at + 1]?.content ?? ''))
    // The source is not served.
    for (const inline of token.children ?? [])
      if (inline.type === 'link_open' && String(inline.attrGet('href')).startsWith('../')) inline.attrs = []
  }
  const title = tokens.find(({ type }) => type === 'inline')?.content ?? name
  return { title, body: new Html(markdown.renderer.render(tokens, markdown.options, {})) }
}

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
