import { __ } from '@wordpress/i18n'
import { useMemo } from 'react'
import { compare, type Part } from './compare.ts'

interface SidesProps {
  /** Of what: `Text`. */
  title: string
  ours: string
  theirs: string
}

/** Two texts beside each other, or on a narrow screen one below the other, with what is only in one of them marked. */
export function Sides({ title, ours, theirs }: SidesProps) {
  const parts = useMemo(() => compare(ours, theirs), [ours, theirs])
  return (
    <div>
      <h3>{title}</h3>
      <div className="g-sides">
        <Side name={__('What Galley wrote', 'galley')} parts={parts} without="theirs" />
        <Side name={__('What is on the site now', 'galley')} parts={parts} without="ours" />
      </div>
    </div>
  )
}

interface SideProps {
  name: string
  parts: Part[]
  without: Part['kind']
}

function Side({ name, parts, without }: SideProps) {
  const shown = parts.map((part, place) => ({ ...part, place })).filter(({ kind }) => kind !== without)
  return (
    <section className="g-side" aria-label={name}>
      <h4>{name}</h4>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard */}
      <div className="g-side-text" dir="auto" tabIndex={0}>
        {shown.length === 0 && <span className="g-weak">{__('(nothing)', 'galley')}</span>}
        {shown.map(({ kind, text, place }) => (
          <Marked key={place} kind={kind} text={text} />
        ))}
      </div>
    </section>
  )
}

function Marked({ kind, text }: Part) {
  if (kind === 'ours') return <del>{text}</del>
  if (kind === 'theirs') return <ins>{text}</ins>
  return <>{text}</>
}
