import { useQuery } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useDeferredValue, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Checkbox, Choice, Radios } from '../form.tsx'
import { Popover } from '../popover.tsx'
import { searchText } from '../search-text.ts'
import { QueryResult } from '../states.tsx'
import type { Filterable } from './address.ts'
import type { FilterOption, Item, TableColumn } from './columns.ts'

/** Milliseconds without another letter, after which the search begins. */
const PAUSE_MS = 250

interface SearchFieldProps {
  /** What the address searches for. */
  search: string
  /** Writes what was typed into the address. */
  onSearch(search: string): void
}

/**
 * The search of a table. What is typed is in the address a moment later. An address that changes for another reason (the way back,
 * a link to the same list) fills the field.
 */
export function SearchField({ search, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(search)
  // Searches that are not in the address yet: somebody may have typed on since.
  const sent = useRef<string[]>([])
  useLayoutEffect(() => {
    const at = sent.current.lastIndexOf(search)
    sent.current = at < 0 ? [] : sent.current.slice(at + 1)
    if (at < 0) setTyped(search)
  }, [search])
  useEffect(() => {
    const text = searchText(typed)
    if (text === search) return
    const timer = setTimeout(() => {
      sent.current.push(text)
      onSearch(text)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  })
  return (
    <input
      type="search"
      className="g-search"
      aria-label={__('Search', 'galley')}
      placeholder={__('Search', 'galley')}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      autoComplete="off"
    />
  )
}

interface FilterProps<Row extends Item> {
  column: TableColumn<Row>
  kind: Filterable[string]
  values: string[]
  onChange(values: string[]): void
}

/** A button that shows which values a column is filtered by, and opens the choice of them. */
export function Filter<Row extends Item>({ column, kind, values, onChange }: FilterProps<Row>) {
  const options = column.meta?.options ?? []
  const names = values.map((value) => (Array.isArray(options) && labelOf(options, value)) || value)
  const props = { label: column.header, kind, values, onChange }
  return (
    <Popover
      className={`g-button g-filter ${values.length > 0 ? 'is-on' : ''}`}
      panelClassName="g-filter-panel"
      button={<span>{names.length > 0 ? `${column.header}: ${names.join(', ')}` : column.header}</span>}
    >
      {Array.isArray(options) ? (
        <FixedOptions options={options} {...props} />
      ) : (
        <AskedOptions query={options} {...props} />
      )}
    </Popover>
  )
}

const labelOf = (options: readonly FilterOption[], value: string) =>
  options.find((option) => option.value === value)?.label

interface OptionsProps extends Omit<FilterProps<Item>, 'column'> {
  label: string
  options: readonly FilterOption[]
  /** What is searched for among them. */
  typed: string
  onType(typed: string): void
}

type UntypedProps = Omit<OptionsProps, 'typed' | 'onType'>

function FixedOptions(props: UntypedProps) {
  const [typed, setTyped] = useState('')
  return <Options typed={typed} onType={setTyped} {...props} />
}

interface AskedOptionsProps extends Omit<UntypedProps, 'options'> {
  query(search: string): object
}

/** There may be more values than are answered at once: what is typed is searched among all of them. */
function AskedOptions({ query, ...props }: AskedOptionsProps) {
  const [typed, setTyped] = useState('')
  const result = useQuery<FilterOption[]>(query(useDeferredValue(searchText(typed))) as never)
  return (
    <QueryResult query={result}>
      {(options) => <Options options={options} typed={typed} onType={setTyped} {...props} />}
    </QueryResult>
  )
}

/** As many values are seen at once; of more, one is searched. */
const FEW = 8

function Options({ label, options, typed, onType, kind, values, onChange }: OptionsProps) {
  // The address follows a moment later: meanwhile another value may be chosen.
  const [chosen, setChosen] = useState(values)
  const inAddress = values.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: with every other address
  useLayoutEffect(() => setChosen(values), [inAddress])
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const fields = place.current?.querySelectorAll('input') ?? []
    const current = [...fields].find(({ type, checked }) => type === 'search' || checked)
    ;(current ?? fields[0])?.focus()
  }, [])
  // A value that the address asks for and no row has any more.
  const unknown = values.filter((value) => labelOf(options, value) === undefined)
  const all = [...unknown.map((value): FilterOption => ({ value, label: value })), ...options]
  const wanted = typed.trim().toLocaleLowerCase()
  const shown = all.filter((option) => option.label.toLocaleLowerCase().includes(wanted))
  function toggle(value: string) {
    const others = kind === 'one' ? [] : chosen.filter((one) => one !== value)
    const next = value === '' || (kind === 'several' && chosen.includes(value)) ? others : [...others, value]
    setChosen(next)
    onChange(next)
  }
  return (
    <div ref={place}>
      {(all.length > FEW || typed !== '') && (
        <input
          type="search"
          className="g-search"
          aria-label={__('Search values', 'galley')}
          placeholder={__('Search', 'galley')}
          value={typed}
          onChange={({ target }) => onType(target.value)}
          onKeyDown={({ key }) => key === 'Enter' && shown[0] && toggle(shown[0].value)}
          autoComplete="off"
        />
      )}
      <div className="g-choice-list">
        {kind === 'one' ? (
          <Radios
            legend={label}
            value={chosen[0] ?? ''}
            onChange={toggle}
            options={[
              { value: '', label: __('All', 'galley') },
              ...shown.map(({ value, label, note }) => ({ value, label, ...(note && { help: note }) })),
            ]}
          />
        ) : (
          <Choice legend={label}>
            {shown.map(({ value, label, note }) => (
              <Checkbox
                key={value}
                label={label}
                {...(note && { help: note })}
                checked={chosen.includes(value)}
                onChange={() => toggle(value)}
              />
            ))}
          </Choice>
        )}
        {shown.length === 0 && <p className="g-weak">{__('Nothing matches', 'galley')}</p>}
      </div>
    </div>
  )
}
