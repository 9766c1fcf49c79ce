import { useQueryClient } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useAddressSearch } from '../../app/address-search.ts'
import { Head } from '../../components/head.tsx'
import { describeError } from '../../components/states.tsx'
import { deliveryQuery, eventQuery } from '../../data/deliveries.ts'
import { siteQuery } from '../../data/sites.ts'
import { type Given, NoDocument, readEvent, readFile } from './document.ts'
import { useDraft } from './draft.ts'
import { Matrix } from './matrix.tsx'
import { MatrixForm, type MatrixRequest } from './matrix-form.tsx'
import { One } from './one.tsx'
import { ReceivedDocuments, Write } from './write.tsx'

/** A text, its sites, and previews of the post. Nothing is sent without confirmation. */
export default function NewPostPage() {
  const { draft, change, discard, mistake, takeFile, takeDelivery } = useDocument()
  const [past, setPast] = useState(false)
  const [ask, setAsk] = useState<MatrixRequest>()
  const [looked, setLooked] = useState<string>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another request begins with all sites
  useEffect(() => setLooked(undefined), [ask])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown is of the draft before
  useEffect(() => setAsk(undefined), [draft])

  return (
    <>
      <Head title={__('New post', 'galley')}>
        {__('Write, paste or choose a text, see it as each site will show it, and send it.', 'galley')}
      </Head>
      <div className="g-new-post">
        <Write
          draft={draft}
          onChange={change}
          onDiscard={discard}
          mistake={mistake}
          onFile={takeFile}
          past={past}
          onPast={() => setPast(!past)}
        />
        <MatrixForm draft={draft} onChange={change} onAsk={setAsk} />
      </div>
      {past && (
        <ReceivedDocuments
          onTake={(id) => {
            setPast(false)
            void takeDelivery(id)
          }}
        />
      )}
      {ask && isOne(ask) && <One key={ask.id} ask={ask} siteId={ask.siteIds[0] ?? ''} />}
      {ask && !isOne(ask) && <Matrix key={ask.id} ask={ask} looked={looked} onLook={setLooked} />}
      {ask && looked && <One key={looked} ask={ask} siteId={looked} onBack={() => setLooked(undefined)} />}
    </>
  )
}

const isOne = ({ siteIds, labels, all }: MatrixRequest): boolean =>
  !all && labels.length === 0 && siteIds.length === 1

/** The draft, and ways to put a document into it: a file, or the event in the address (`?event=…&site=…`). */
function useDocument() {
  const queryClient = useQueryClient()
  const [{ event, site }, setSearch] = useAddressSearch()
  const { draft, change, discard } = useDraft()
  const [mistake, setMistake] = useState<string>()
  const changer = useRef(change)
  changer.current = change

  const take = useCallback(
    async (reading: Promise<Given>) => {
      setMistake(undefined)
      try {
        const given = await reading
        const { siteId } = given
        // The document's own site, if it is one of the account's.
        const found = siteId && (await queryClient.fetchQuery(siteQuery(siteId)).catch(() => null))
        changer.current({ given, title: '', ...(found && { sites: [siteId], all: false }) })
      } catch (error) {
        setMistake(error instanceof NoDocument ? error.message : describeError(error).text)
      }
    },
    [queryClient],
  )

  useEffect(() => {
    if (event === undefined) return
    const reading = queryClient.fetchQuery(eventQuery(event)).then(readEvent)
    void take(reading.then((read) => ({ ...read, siteId: site ?? read.siteId })))
  }, [event, site, take, queryClient])

  const leaveEvent = () => {
    setMistake(undefined)
    if (event !== undefined) setSearch({ event: undefined, site: undefined })
  }
  return {
    draft,
    change,
    mistake,
    discard() {
      leaveEvent()
      discard()
    },
    takeFile(file: File) {
      leaveEvent()
      void take(readFile(file))
    },
    takeDelivery: (id: string) =>
      queryClient.fetchQuery(deliveryQuery(id)).then(
        ({ event_id, site_id }) => setSearch({ event: event_id, site: site_id }),
        (error) => setMistake(describeError(error).text),
      ),
  }
}
