import type { Block } from '../../../contract/generation/results.ts'
import { lengthOf, type Unit } from './count.ts'
import type { Outline, PlannedPart } from './outline-schema.ts'
import type { Shape } from './shape.ts'

/** A part that was written; `blocks` without its heading. */
export interface Part {
  plan: PlannedPart
  blocks: readonly Block[]
  /** Of its heading and its blocks. */
  length: number
  /** What was wanted of it. */
  budget: number
}

/** A text under way. */
export interface Draft {
  outline: Outline
  shape: Shape
  parts: Part[]
}

/** The heading of a part; none where it has no words. */
export const headingBlocks = ({ heading }: PlannedPart): Block[] =>
  heading === '' ? [] : [{ type: 'heading', level: 2, text: heading }]

export const blocksOfPart = ({ plan, blocks }: Part): Block[] => [...headingBlocks(plan), ...blocks]

/** All that was written, in reading order. */
export const blocksOfDraft = ({ parts }: Draft): Block[] => parts.flatMap(blocksOfPart)

/** The length of each part is counted once: together they are that of the whole. */
export const lengthOfDraft = ({ parts }: Draft): number => parts.reduce((all, { length }) => all + length, 0)

/** A part with these blocks. */
export function withBlocks(
  part: Omit<Part, 'length' | 'blocks'>,
  blocks: readonly Block[],
  unit: Unit,
): Part {
  return { ...part, blocks, length: lengthOf([...headingBlocks(part.plan), ...blocks], unit) }
}

/** How far a length may be from what was asked for. */
const TOLERANCE = 0.1

export const isWithin = (length: number, wanted: number): boolean =>
  Math.abs(length - wanted) <= TOLERANCE * wanted
