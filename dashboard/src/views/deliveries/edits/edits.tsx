import './edits.css'
import { useQuery } from '@tanstack/react-query'
import { __, sprintf } from '@wordpress/i18n'
import { type ChangeObject, diffLines, diffWordsWithSpace } from 'diff'
import { useMemo, useState } from 'react'
import type { DetailedDelivery, PostEdits } from '../../../api/client.ts'
import { useMay } from '../../../app/session-context.ts'
import { Button } from '../../../components/button.tsx'
import { Fact, Facts } from '../../../components/facts.tsx'
import { parsedMarkup } from '../../../components/parsed-markup.ts'
import { QueryResult } from '../../../components/states.tsx'
import { editsQuery } from '../../../data/deliveries.ts'
import { isHeldWithdrawal } from '../actions.ts'
import { Decide } from './decide.tsx'
import { type Choices, type Merge, type MergePiece, piecesOf, type Side } from './merge.ts'
import { DecideWithdrawal } from './withdraw.tsx'

/** A delivery or a withdrawal that waits because somebody edited the post: what was changed, and what is to become of it. */
export default function Edits({ delivery }: { delivery: DetailedDelivery }) {
  const query = useQuery(editsQuery(delivery))
  const title = delivery.title ?? __('(no title)', 'galley')
  return (
    <section className={`g-card g-section g-edits ${query.isPending ? 'g-room' : ''}`}>
      {/* translators: %s: the title of a post */}
      <h2>{sprintf(__('Somebody edited “%s” after it was delivered', 'galley'), title)}</h2>
      <QueryResult query={query}>
        {(edits) => <Compared key={edits.merge?.compared ?? ''} delivery={delivery} edits={edits} />}
      </QueryResult>
    </section>
  )
}

function Compared({ delivery, edits }: { delivery: DetailedDelivery; edits: PostEdits }) {
  const [choices, setChoices] = useState<Choices>({})
  const mayAct = useMay('deliveries.act')
  const withdraws = isHeldWithdrawal(delivery)
  const merge = withdraws ? null : edits.merge
  return (
    <>
      {merge ? (
        <Pieces merge={merge} choices={choices} onChoose={mayAct ? setChoices : undefined} />
      ) : (
        <Texts edits={edits} />
      )}
      <Others details={delivery.error?.details} />
      {mayAct && withdraws && <DecideWithdrawal delivery={delivery} />}
      {mayAct && !withdraws && <Decide delivery={delivery} merge={merge} choices={choices} />}
    </>
  )
}

interface PiecesProps {
  merge: Merge
  choices: Choices
  onChoose: ((choices: Choices) => void) | undefined
}

/** What differs between the three texts, piece by piece. */
function Pieces({ merge, choices, onChoose }: PiecesProps) {
  const names = {
    title: __('Title', 'galley'),
    excerpt: __('Excerpt', 'galley'),
    content: __('Text', 'galley'),
  }
  const differing = piecesOf(merge).filter(({ kind }) => kind !== 'both')
  if (differing.length === 0) return <p>{__('The texts are the same.', 'galley')}</p>
  return (
    <>
      {differing.map((piece) => {
        const chosen = piece.conflict === null ? undefined : choices[piece.conflict]
        const choose = (side: Side) => onChoose?.({ ...choices, [piece.conflict ?? 0]: side })
        return (
          <div key={piece.place}>
            <h3>
              {names[piece.field]} · {kinds[piece.kind]?.()}
            </h3>
            <ThreeSides piece={piece} />
            {piece.conflict !== null && onChoose && (
              <p className="g-actions">
                <Choice pressed={chosen === 'site'} onChoose={() => choose('site')}>
                  {__('Use theirs', 'galley')}
                </Choice>
                <Choice pressed={chosen === 'next'} onChoose={() => choose('next')}>
                  {__('Use the new one', 'galley')}
                </Choice>
              </p>
            )}
          </div>
        )
      })}
    </>
  )
}

const kinds: Partial<Record<MergePiece['kind'], () => string>> = {
  site: () => __('changed on the site: the merge keeps it', 'galley'),
  next: () => __('changed in the new version: the merge takes it', 'galley'),
  conflict: () => __('changed on both sides: choose one', 'galley'),
}

interface ChoiceProps {
  pressed: boolean
  onChoose(): void
  children: string
}

const Choice = ({ pressed, onChoose, children }: ChoiceProps) => (
  <Button aria-pressed={pressed} onClick={onChoose}>
    {children}
  </Button>
)

function ThreeSides({ piece }: { piece: MergePiece }) {
  const all = [piece.galley, piece.site, piece.next]
  // Equal for a reader: only the markup differs.
  const show = new Set(all.map(readable)).size === 1 ? (text: string) => text : readable
  const [galley = '', site = '', next = ''] = all.map(show)
  const [theirs, ours] = useMemo(() => [compare(galley, site), compare(galley, next)], [galley, site, next])
  return (
    <div className="g-sides three">
      <TextSide
        name={__('What Galley wrote', 'galley')}
        parts={[{ kind: 'same', text: galley }]}
        without="theirs"
      />
      <TextSide name={__('What is on the site now', 'galley')} parts={theirs} without="ours" />
      <TextSide name={__('What the new version says', 'galley')} parts={ours} without="ours" />
    </div>
  )
}

function Texts({ edits: { galley, site } }: { edits: PostEdits }) {
  const asRead = site && readable(galley.content) !== readable(site.content)
  const [markup, setMarkup] = useState(false)
  if (site === null) return <p>{__('The post was deleted on the site.', 'galley')}</p>
  const changed = galley.content !== site.content
  // Equal for a reader: only the markup differs.
  const inMarkup = markup || !asRead
  const show = inMarkup ? (text: string) => text : readable
  return (
    <>
      {galley.title !== site.title && (
        <Sides title={__('Title', 'galley')} ours={galley.title} theirs={site.title} />
      )}
      {galley.excerpt !== site.excerpt && (
        <Sides title={__('Excerpt', 'galley')} ours={galley.excerpt} theirs={site.excerpt} />
      )}
      {changed && (
        <>
          <Sides
            title={inMarkup ? __('Markup', 'galley') : __('Text', 'galley')}
            ours={show(galley.content)}
            theirs={show(site.content)}
          />
          {asRead && (
            <p>
              <Button aria-pressed={markup} onClick={() => setMarkup(!markup)}>
                {__('Show the markup', 'galley')}
              </Button>
            </p>
          )}
        </>
      )}
      {galley.title === site.title && galley.excerpt === site.excerpt && !changed && (
        <p>{__('The texts are the same.', 'galley')}</p>
      )}
    </>
  )
}

interface Change {
  field: string
  galley: string
  site: string
}

const names: Record<string, () => string> = {
  categories: () => __('Categories, by ID', 'galley'),
  tags: () => __('Tags, by ID', 'galley'),
  'featured image': () => __('Featured image, by ID', 'galley'),
}

/** What was changed beside the texts. */
function Others({ details }: { details: unknown }) {
  const { changes } = (details ?? {}) as { changes?: Change[] }
  const others = Array.isArray(changes) ? changes.filter(({ field }) => names[field] !== undefined) : []
  if (others.length === 0) return null
  return (
    <Facts>
      {others.map(({ field, galley, site }) => (
        <Fact key={field} label={names[field]?.() ?? field}>
          <del>{galley || '–'}</del> → <ins>{site || '–'}</ins>
        </Fact>
      ))}
    </Facts>
  )
}

interface SidesProps {
  /** Of what: `Text`. */
  title: string
  ours: string
  theirs: string
}

/** Two texts beside each other, or on a narrow screen one below the other, with what is only in one of them marked. */
function Sides({ title, ours, theirs }: SidesProps) {
  const parts = useMemo(() => compare(ours, theirs), [ours, theirs])
  return (
    <div>
      <h3>{title}</h3>
      <div className="g-sides">
        <TextSide name={__('What Galley wrote', 'galley')} parts={parts} without="theirs" />
        <TextSide name={__('What is on the site now', 'galley')} parts={parts} without="ours" />
      </div>
    </div>
  )
}

interface SideProps {
  name: string
  parts: Part[]
  without: Part['kind']
}

function TextSide({ name, parts, without }: SideProps) {
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

interface Part {
  text: string
  kind: 'same' | 'ours' | 'theirs'
}

/** Milliseconds after which lines are compared instead of words: texts without a common word take very long. */
const MOST_MS = 1_000

/** Characters of equal text around a difference. */
const AROUND = 300

/** The differences of two texts, with some of the equal text around them. */
function compare(ours: string, theirs: string): Part[] {
  const parts = diffWordsWithSpace(ours, theirs, { timeout: MOST_MS }) ?? diffLines(ours, theirs)
  return parts.map((part, index) => {
    const kind = kindOf(part)
    return {
      kind,
      text: kind === 'same' ? shortened(part.value, index > 0, index < parts.length - 1) : part.value,
    }
  })
}

const kindOf = ({ added, removed }: ChangeObject<string>): Part['kind'] =>
  added ? 'theirs' : removed ? 'ours' : 'same'

/** @param before whether a difference precedes it @param after whether one follows */
function shortened(text: string, before: boolean, after: boolean): string {
  const [head, tail] = [before ? AROUND : 0, after ? AROUND : 0]
  if (text.length <= head + tail + AROUND) return text
  return `${text.slice(0, head)} … ${tail === 0 ? '' : text.slice(-tail)}`
}

/** Elements after which a reader sees a new line. */
const BLOCKS = new Set(
  'P H1 H2 H3 H4 H5 H6 LI UL OL BLOCKQUOTE PRE FIGURE FIGCAPTION TABLE TR TD TH DIV HR BR DETAILS SUMMARY'.split(
    ' ',
  ),
)

/** The text that a reader sees of a post's markup, a line for each block. Nothing of it is loaded or run. */
function readable(markup: string): string {
  return textOf(parsedMarkup(markup))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n\n')
}

function textOf(node: Node): string {
  if (node.nodeType === Node.TEXT_NODE) return (node.nodeValue ?? '').replaceAll('\n', ' ')
  if (!(node instanceof Element)) return ''
  if (node.tagName === 'IMG') return ` [${node.getAttribute('alt') || node.getAttribute('src')}] `
  if (['SCRIPT', 'STYLE'].includes(node.tagName)) return ''
  const text = [...node.childNodes].map(textOf).join('')
  return BLOCKS.has(node.tagName) ? `\n${text}\n` : text
}
