import { readdirSync } from 'node:fs'
import type { Document } from '../../src/blocks/document.ts'
import type { FootnoteRecord } from '../../src/blocks/footnotes/render.ts'
import type { Block } from '../../src/blocks/index.ts'
import {
  type RenderMedia,
  type RenderOptions,
  type RenderSettings,
  renderSettingsSchema,
} from '../../src/render/options.ts'
import { renderDocument } from '../../src/render/render.ts'

/** One behaviour of the renderer: a document, and what becomes of it in each format. */
export interface Fixture {
  document: Partial<Document> & { blocks: Block[] }
  /** The site's choices, where they are not the defaults. */
  settings?: Partial<RenderSettings>
  /** What was uploaded, by the document's addresses. */
  media?: Readonly<Record<string, RenderMedia>>
  siteOrigin?: string
  wordpressVersion?: string
  /** Codes of the warnings. */
  warnings?: string[]
  /** Of the classic editor's, where they are others. */
  classicWarnings?: string[]
  /** Markup for the block editor, byte for byte. */
  blocks: string
  /** What the meta of the post has beside them. */
  footnotes?: FootnoteRecord[]
  /** HTML for the classic editor, byte for byte. */
  classic: string
}

const folder = new URL('../fixtures/render/', import.meta.url)

/** The corpus, in the order of its numbers; a file for each kind of block. */
export const fixtures: [name: string, fixture: Fixture][] = (
  await Promise.all(
    readdirSync(folder).map(async (file) => {
      const ofKind = (await import(new URL(file, folder).href)) as { fixtures: Record<string, Fixture> }
      return Object.entries(ofKind.fixtures)
    }),
  )
)
  .flat()
  .sort(([one], [other]) => (one < other ? -1 : 1))

export const documentOf = ({ document }: Fixture): Document => ({ title: 'Title', ...document })

export function renderFixture(
  fixture: Fixture,
  format: RenderOptions['format'],
  version = fixture.wordpressVersion,
) {
  const { settings = {}, media = {}, siteOrigin } = fixture
  return renderDocument(documentOf(fixture), {
    format,
    media: new Map(Object.entries(media)),
    settings: renderSettingsSchema.parse(settings),
    ...(siteOrigin === undefined ? {} : { siteOrigin }),
    ...(version === undefined ? {} : { wordpressVersion: version }),
  })
}
