import { __, _n, sprintf } from '@wordpress/i18n'
import { useEffect, useRef, useState } from 'react'
import type { MatrixRow } from '../../api/client.ts'
import { withNumber } from '../../components/number.ts'
import { Loading } from '../../components/states/loading.tsx'
import { Message } from '../../components/states/message.tsx'
import { Deliver } from './deliver.tsx'
import type { MatrixRequest } from './matrix-form.tsx'
import { type NamedSite, previewAll, sitesOf } from './preview-all.ts'
import { PreviewFailure } from './preview-failure.tsx'
import { Rows } from './rows.tsx'

interface MatrixProps {
  ask: MatrixRequest
  /** Of the site that is looked at by itself; this waits meanwhile. */
  looked: string | undefined
  onLook(siteId: string): void
}

/** One document against many sites: what each would make, lose and refuse. */
export function Matrix({ ask, looked, onLook }: MatrixProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const { sites, rows, error, done, again } = useMatrix(ask)
  const arriving = rows.filter(({ outcome }) => outcome === 'delivered').map(({ site_id }) => site_id)
  if (sites?.length === 0) return <Message title={__('No site has one of these labels', 'galley')} alert />
  return (
    <section className="g-section" aria-labelledby="preview-matrix" hidden={looked !== undefined}>
      <div className="g-head">
        <div>
          <h2 id="preview-matrix" ref={heading} tabIndex={-1}>
            {__('On each site', 'galley')}
          </h2>
          <p role="status">{sites && progress(rows.length, sites.length)}</p>
        </div>
        {done && arriving.length > 0 && (
          <Deliver
            key={arriving.join()}
            ask={ask}
            siteIds={arriving}
            label={withNumber(
              // translators: %d: how many sites
              _n('Deliver to %d site', 'Deliver to %d sites', arriving.length, 'galley'),
              arriving.length,
            )}
          />
        )}
      </div>
      {sites && rows.length > 0 && (
        <Rows sites={sites} rows={rows} label={__('On each site', 'galley')} back={looked} onLook={onLook} />
      )}
      {error !== undefined && <PreviewFailure error={error} onAgain={again} />}
      {!done && error === undefined && <Loading />}
    </section>
  )
}

const progress = (asked: number, all: number): string =>
  sprintf(
    // translators: 1: how many sites were asked, 2: of how many
    _n('%1$d of %2$d site asked', '%1$d of %2$d sites asked', all, 'galley'),
    asked,
    all,
  )

interface State {
  sites?: NamedSite[]
  rows: MatrixRow[]
  error?: unknown
  done: boolean
}

function useMatrix(ask: MatrixRequest): State & { again(): void } {
  const [state, setState] = useState<State>({ rows: [], done: false })
  const [tries, setTries] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try is a reason to ask again
  useEffect(() => {
    const stop = new AbortController()
    async function run() {
      setState({ rows: [], done: false })
      const sites = await sitesOf(ask, stop.signal)
      setState({ sites, rows: [], done: false })
      const ids = sites.map(({ id }) => id)
      for await (const more of previewAll(ask, ids, stop.signal))
        setState(({ rows }) => ({ sites, rows: [...rows, ...more], done: false }))
      setState((before) => ({ ...before, done: true }))
    }
    run().catch((error) => {
      if (!stop.signal.aborted) setState((before) => ({ ...before, error, done: true }))
    })
    return () => stop.abort()
  }, [ask, tries])
  return { ...state, again: () => setTries(tries + 1) }
}
