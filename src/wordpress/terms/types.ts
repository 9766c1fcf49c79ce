import type { Warning } from '../../errors.ts'
import type { WordPressClient } from '../client/index.ts'
import type { TermPolicy } from '../types.ts'

export type Taxonomy = 'categories' | 'tags'

export interface TermRequest {
  /** REST base of the taxonomy. */
  taxonomy: Taxonomy
  /** As the document has them. Categories may be paths: `News > Local`. */
  names: string[]
  policy: TermPolicy
  /** Code of the language that the terms are to be of, on a site with several. */
  language?: string | undefined
  /** The site's names for a sender's: `{ "AI": "News > Artificial intelligence" }`. Letter case is ignored. */
  aliases?: Record<string, string>
  /** Which of the site's settings names them; left out where the document does. */
  setting?: 'default_categories' | 'fallback_category'
  /** Looks each up, whatever is remembered of it. */
  anew?: boolean
}

export interface Term {
  id: number
  /** Decoded: WordPress answers `T &amp; co`. */
  name: string
  /** 0 at the top, and for tags. */
  parent: number
}

/** A term by its id, and whether that is remembered from before: it may be gone meanwhile, or called otherwise. */
export interface RecalledTerm {
  id: number
  remembered: boolean
}

/** A name led to a term, or to a reason why not. */
export type Resolution = RecalledTerm | { warning: Warning }

/** One term by its name. */
export interface WantedTerm {
  taxonomy: Taxonomy
  name: string
  /** Under this parent alone; anywhere where left out. */
  parent?: number | undefined
  /** In this language alone; in any where left out. */
  language?: string | undefined
}

/** How a missing term is made; answers its id. */
export type MakeTerm = (client: WordPressClient, term: WantedTerm) => Promise<number>
