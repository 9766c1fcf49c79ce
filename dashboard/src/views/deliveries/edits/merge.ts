import type { PostEdits } from '../../../api/client.ts'

export type Merge = NonNullable<PostEdits['merge']>

export type MergePiece = Merge['content'][number]

export type Side = 'site' | 'next'

/** The side of each conflict, by its number. */
export type Choices = Readonly<Record<number, Side>>

const fields = ['title', 'excerpt', 'content'] as const

interface PlacedPiece extends MergePiece {
  field: (typeof fields)[number]
  place: number
  /** Its number among the conflicts; null for none. */
  conflict: number | null
}

/** All pieces, in the order in which the API counts conflicts. */
export function piecesOf(merge: Merge): PlacedPiece[] {
  let conflicts = 0
  return fields
    .flatMap((field) => merge[field].map((piece) => ({ ...piece, field })))
    .map((piece, place) => ({ ...piece, place, conflict: piece.kind === 'conflict' ? conflicts++ : null }))
}

/** The choices as the API takes them; undefined while one is missing. */
export function allChoices(merge: Merge, choices: Choices): Side[] | undefined {
  const sides = piecesOf(merge)
    .flatMap(({ conflict }) => (conflict === null ? [] : [conflict]))
    .map((conflict) => choices[conflict])
  return sides.every((side) => side !== undefined) ? sides : undefined
}

/** A field of the merged post, as Galley writes it. */
export const mergedText = (merge: Merge, choices: Choices, field: (typeof fields)[number]): string =>
  piecesOf(merge)
    .filter((piece) => piece.field === field)
    .map((piece) => {
      const side = piece.conflict === null ? piece.kind : choices[piece.conflict]
      return side === 'next' ? piece.next : piece.site
    })
    .filter((text) => text !== '')
    .join('\n\n')
