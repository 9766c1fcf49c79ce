import type { Warning } from '../errors.ts'

export interface SiteConnection {
  /** How the site is named in messages, e.g. `example.com/blog`. */
  name: string
  /** Root of the REST API, ending in `/` or in `rest_route=/`: `https://example.com/wp-json/`. */
  restRoot: string
  username: string
  applicationPassword: string
}

export type SiteCredentials = Pick<SiteConnection, 'username' | 'applicationPassword'>

/** `draft`, `publish`, `trash`, …: core's, or one of an editorial plugin. */
export type PostStatus = string

/** Field of a post in which a plugin keeps a byline of its own. */
export type BylineField = 'coauthors' | 'ppma_author' | 'authorship'

/** Who readers see as the authors of a post, where a plugin and not the post's author decides that. */
export interface Byline {
  field: BylineField
  /** Of terms, or of users, as the plugin has it. */
  ids: number[]
}

export interface PostRecord {
  id: number
  status: PostStatus
  /** Whether a plugin may have given it another status or type after it was saved, or have removed it. */
  movedOn: boolean
  slug: string
  /** Permalink; null where the site names no address of the web. */
  link: string | null
  /** The path of its address before the slug: `/`, `/blog/`; null where its address has no slug. */
  addressPrefix: string | null
  title: string
  content: string
  excerpt: string
  /** Of these, what the post type does not have; it is empty. */
  lacks: ('title' | 'content' | 'excerpt' | 'categories' | 'tags')[]
  /** User id, 0 where the post type has no authors. */
  author: number
  categories: number[]
  tags: number[]
  featuredMedia: number
  /** ISO 8601, UTC, as `modified_gmt`. */
  modifiedGmt: string
  /** Whether readers are asked for a password before they see it. */
  hasPassword: boolean
  meta: Record<string, unknown>
  /** The notes of the block `core/footnotes`, as JSON; empty without any, null where the post has no place for them. */
  footnotes: string | null
  /** Names of the fields of Advanced Custom Fields that hold nothing, as far as the REST API shows them. */
  emptyFields: string[]
  /** Null where no plugin shows one over the REST API. */
  byline: Byline | null
  /** Other members of the answer that were asked for, by {@link PostFields.members}; the password by its fingerprint. */
  members: PostMembers
  /** What this user may do with it (`publish`, `create-tags`, …): the links `wp:action-…`. */
  actions: string[]
}

/** Members of a post in the REST API by name: `format`, `meta.subtitle`, `acf.region`. */
export type PostMembers = Readonly<Record<string, unknown>>

/** What one fill sets; a field left out is not sent. */
export interface PostFields {
  title?: string
  content?: string
  excerpt?: string
  slug?: string
  categories?: number[]
  tags?: number[]
  featuredMedia?: number
  author?: number
  byline?: Byline
  footnotes?: string
  meta?: Record<string, unknown>
  /** Members that a document asks for by itself; each may be left out where the site does not take it. */
  members?: PostMembers
  status?: 'draft' | 'pending' | 'publish' | 'future' | 'private'
}

export interface MediaRecord {
  id: number
  slug: string
  status: string
  /** Address of its own page; empty where the site says none. */
  link: string
  sourceUrl: string
  mimeType: string
  altText: string
  /** The post it is attached to, 0 where none. */
  post: number
  /** Sub-sizes by name (`large`, `medium`, …); empty while WordPress is still making them. */
  sizes: Record<string, { url: string; width: number; height: number }>
  width?: number
  height?: number
}

export interface TermResult {
  ids: number[]
  /** Of these, what was known from before and not looked up now; left out where there is none. */
  remembered?: number[]
  warnings: Warning[]
}

/** How names without a term are treated. */
export type TermPolicy = 'create' | 'existing_only' | 'reject'

export interface CurrentUser {
  id: number
  name: string
  roles: string[]
  capabilities: Record<string, boolean>
  /** Whether the site shows this user nothing of itself: then its rights are taken to be an editor's. */
  isHidden: boolean
}
