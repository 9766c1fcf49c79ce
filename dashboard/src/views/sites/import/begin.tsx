import './import.css'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { useId, useState } from 'react'
import { call } from '../../../api/client.ts'
import { useMay } from '../../../app/session-context.ts'
import { Checkbox, Form } from '../../../components/form.tsx'
import { Head } from '../../../components/head.tsx'
import { NoRight } from '../../../components/states.tsx'

const EXAMPLE = `url,username,application_password,name,labels
example.com,editor,abcd efgh ijkl mnop qrst uvwx,Tides weekly,news;weekly`

/** Imports a file of sites, one per line. */
export default function Import() {
  const id = useId()
  const navigate = useNavigate()
  const [csv, setCsv] = useState('')
  const [dryRun, setDryRun] = useState(false)
  const begin = useMutation({
    mutationFn: () => call('createImport', { body: csv, query: { dry_run: dryRun ? 'true' : 'false' } }),
    onSuccess: (made) => navigate({ to: '/sites/import/$id', params: { id: made.id } as never }),
  })
  if (!useMay('sites.change')) return <NoRight />
  return (
    <>
      <Head title={__('Import sites', 'galley')}>
        {__(
          'One line for each site, at most 500. Each is tried by itself; one that fails costs the others nothing.',
          'galley',
        )}
      </Head>
      <section className="g-card g-section">
        <Form
          submit={dryRun ? __('Try the import', 'galley') : __('Connect them', 'galley')}
          failure={begin.error}
          pending={begin.isPending}
          incomplete={csv.trim() === ''}
          onSubmit={() => begin.mutate()}
          onCancel={() => void navigate({ to: '/sites' })}
        >
          <div className="g-field">
            <label htmlFor={`${id}-file`}>{__('CSV file', 'galley')}</label>
            <input
              id={`${id}-file`}
              type="file"
              accept=".csv,text/csv,text/plain"
              onChange={({ target }) => void target.files?.[0]?.text().then(setCsv)}
            />
          </div>
          <div className="g-field">
            <label htmlFor={`${id}-text`}>{__('Or its lines', 'galley')}</label>
            <textarea
              id={`${id}-text`}
              rows={8}
              dir="ltr"
              spellCheck={false}
              value={csv}
              onChange={({ target }) => setCsv(target.value)}
              aria-describedby={`${id}-help`}
            />
            <div id={`${id}-help`} className="g-weak">
              {__('The first line names the columns; the first three must be there:', 'galley')}
              <pre dir="ltr">{EXAMPLE}</pre>
            </div>
          </div>
          <Checkbox
            label={__('Only try', 'galley')}
            help={__('Galley tries each password on its site. Nothing is stored.', 'galley')}
            checked={dryRun}
            onChange={setDryRun}
          />
        </Form>
      </section>
    </>
  )
}
