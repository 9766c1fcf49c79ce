import './selection.css'
import type { Field } from '@wordpress/dataviews'
import { __, _n } from '@wordpress/i18n'
import { type ComponentType, createContext, useContext, useId } from 'react'
import { withNumber } from '../number.ts'

/** The rows that are chosen where there is no column for it: in the list of a narrow window. */
export interface Choice {
  ids: readonly string[]
  onChange(ids: string[]): void
}

export const ChoiceContext = createContext<Choice>({ ids: [], onChange: () => undefined })

/** Of the hidden word before a title: `Choose: Why the tide comes twice a day`. */
const WORD = 'g-choose-word'

/** A title with a box beside it by which its row is chosen. */
export function choosable<Item extends { id: string }>(field: Field<Item>): Field<Item> {
  const Title = field.render as ComponentType<{ item: Item; field: unknown }> | undefined
  if (Title === undefined) return field
  const render = ({ item, ...props }: { item: Item; field: unknown }) => (
    <Choosable id={item.id}>
      <Title item={item} {...props} />
    </Choosable>
  )
  return { ...field, render } as Field<Item>
}

function Choosable({ id: of, children }: { id: string; children: React.ReactNode }) {
  const { ids, onChange } = useContext(ChoiceContext)
  const id = useId()
  return (
    <span className="g-choosable">
      <span className="g-choose">
        <input
          type="checkbox"
          aria-labelledby={`${WORD} ${id}`}
          checked={ids.includes(of)}
          onChange={({ target }) => onChange(target.checked ? [...ids, of] : ids.filter((one) => one !== of))}
        />
      </span>
      <span id={id}>{children}</span>
    </span>
  )
}

interface ChosenProps extends Choice {
  /** Of the rows that are there. */
  count: number
  onAct(): void
}

/** How many are chosen, and what leads to what can be done with them. */
export function Chosen({ count, onAct, onChange }: ChosenProps) {
  return (
    <>
      <span id={WORD} hidden>
        {__('Choose:', 'galley')}
      </span>
      {count > 0 && (
        <div className="g-chosen" role="status">
          <span>
            {withNumber(
              // translators: %d: how many rows of a list
              _n('%d chosen', '%d chosen', count, 'galley'),
              count,
            )}
          </span>
          <button type="button" className="g-button primary" onClick={onAct}>
            {__('Bulk action…', 'galley')}
          </button>
          <button type="button" className="g-button" onClick={() => onChange([])}>
            {__('None', 'galley')}
          </button>
        </div>
      )}
    </>
  )
}
