import type { z } from 'zod'
import type { RenderContext } from '../render/context.ts'
import type { Block, Inline } from './index.ts'
import type { Reading } from './read.ts'
import type { WireObject } from './wire.ts'

/*
 * What a block or an inline is: its folder declares it once, and everything else (reading, limits, warnings, rendering,
 * files, words, OpenAPI, docs/documents.md) derives from the arrays in index.ts.
 *
 * - wire: what a sender writes, of any spelling;
 * - published spelling: the one spelling that the schema and the documentation show;
 * - tree: the strict nodes inside Galley, made by `read`.
 */

/** The values of a block's members by the names of `names`; what is missing is undefined. */
export type Members<Name extends string = string> = Readonly<Record<Name, unknown>>

/** The published spellings of what a block or an inline holds. */
export interface ContentSchemas {
  readonly inlines: z.ZodType
  readonly block: z.ZodType
}

/** A file of a node that is uploaded to the site. */
export interface FileReference {
  kind: 'picture' | 'audio' | 'video' | 'file'
  url: string
  /** The alternative text; empty for what is heard or played. */
  alt: string
  title: string
}

/** What the schema and the documentation show of a block or an inline. */
export interface PublishedSpelling<Type extends string = string> {
  readonly type: Type
  readonly description: string
  /** Its members in an example, without the type. */
  readonly example: WireObject
  /** Its members, without the type. */
  shape(content: ContentSchemas): z.ZodRawShape
}

/** One type of block. `Node` is its node in the tree, `Name` a name of its members. */
export interface BlockDefinition<Node extends { type: string }, Name extends string = string>
  extends PublishedSpelling<Node['type']> {
  /** Other types that senders write for it, in snake case. */
  readonly aliases: readonly string[]
  /** The spellings of each member; the first that is present and not empty is read. */
  readonly names: Readonly<Record<Name, readonly string[]>>
  /** The nodes that the wire becomes: mostly one. @param type as the sender wrote it, in snake case */
  read(members: Members<Name>, reading: Reading, type: string): Block[]
  /** What it says may be read into other blocks, so that none is left for itself. */
  readonly standsElsewhere?: true
  /** Markup as the block editor saves it, and HTML of the classic editor; empty where nothing would be visible. */
  readonly render: Readonly<Record<'block' | 'classic', (node: Node, context: RenderContext) => string>>
  /** What it holds in reading order: running text, which is read aloud and searched, and blocks. */
  parts(node: Node): (Inline[] | Block)[]
  /** `parts` as a person reads them aloud, where that is not what is written. */
  spoken?(node: Node): (Inline[] | Block)[]
  files?(node: Node): FileReference[]
}

export interface InlineDefinition<Node extends { type: string }> extends PublishedSpelling<Node['type']> {
  readonly aliases: readonly string[]
  /** Whether a member of this name, or of an alias, set to true is this format: `{"text": "x", "bold": true}`. */
  readonly isFlag?: boolean
  /** Whether a `url` is its own, and no link around it. */
  readonly hasAddress?: true
  /** Its tags, where adjacent nodes of this kind are one: `<strong>a</strong><strong>b</strong>` is saved as one. */
  readonly open?: string
  readonly close?: string
  /** Whether this node becomes its element; all do where left out. */
  opens?(node: Node): boolean
  /** Its nodes, or that it is no more than its content. */
  read(wire: WireObject, reading: Reading): Inline[] | 'content'
  /** @param html the rendered children */
  render(node: Node, html: string, context: RenderContext, within: InlineContext): string
}

/** What stands around an inline node. */
export interface InlineContext {
  /** The formats that are open; none is opened twice. */
  readonly open: ReadonlySet<Inline['type']>
  /** Whether white space stays as it is. */
  readonly verbatim: boolean
}
