// What each call was asked and answered in a test, by GALLEY_TEST_EXAMPLES=1 (every-call.wordpress.test.ts). Not to be edited.

/** An example of each call, by its operation. */
export const examples: Readonly<Record<string, { request?: unknown; answer?: unknown }>> = {
  readAbout: {
    answer: {
      success: true,
      name: 'Galley',
      version: '0.1.0',
      documentation: '/openapi.json',
      page: '/docs',
    },
  },
  readDescription: {},
  readDocs: {},
  readDocsFile: {},
  readPageFile: {},
  readHealth: {
    answer: {
      success: true,
      status: 'alive',
    },
  },
  readReadiness: {
    answer: {
      success: true,
      status: 'ready',
    },
  },
  readMetrics: {},
  getAccount: {
    answer: {
      success: true,
      data: {
        id: '01a2075a-912d-765c-9217-097e21ef9aba',
        name: 'Owner',
        credits: 0,
        unlimited: true,
        notify_steps: false,
        signs_notifications: false,
        created_at: '2026-11-23T07:41:45.705Z',
      },
    },
  },
  updateAccount: {
    request: {
      name: 'Harbour Press',
      notify_steps: false,
    },
    answer: {
      success: true,
      data: {
        id: '01a2075a-912d-765c-9217-097e21ef9aba',
        name: 'Harbour Press',
        credits: 0,
        unlimited: true,
        notify_steps: false,
        signs_notifications: false,
        created_at: '2026-11-23T07:41:45.705Z',
      },
    },
  },
  listCredits: {
    answer: {
      success: true,
      balance: 0,
      unlimited: true,
      data: [],
      next_cursor: null,
    },
  },
  makeNotificationSecret: {
    answer: {
      success: true,
      data: {
        secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
      },
    },
  },
  removeNotificationSecret: {
    answer: {
      success: true,
    },
  },
  createAccount: {
    request: {
      name: 'Brightwater Media',
    },
    answer: {
      success: true,
      id: '01a2075a-93d7-740f-810d-74919f084db3',
      data: {
        account: {
          id: '01a2075a-93d7-740f-810d-74919f084db3',
          name: 'Brightwater Media',
          credits: 0,
          unlimited: true,
          notify_steps: false,
          signs_notifications: false,
          disabled_at: null,
          created_at: '2026-11-23T07:41:46.330Z',
        },
        key: 'gly_sk_0123456789abcdef0123456789abcdef0123456789abcdef',
      },
    },
  },
  listAccounts: {
    answer: {
      success: true,
      data: [
        {
          id: '01a2075a-93d7-740f-810d-74919f084db3',
          name: 'Brightwater Media',
          credits: 0,
          unlimited: true,
          notify_steps: false,
          signs_notifications: false,
          disabled_at: null,
          created_at: '2026-11-23T07:41:46.330Z',
        },
        {
          id: '01a2075a-916e-764d-998c-ffa8292fe9f7',
          name: 'Stranger',
          credits: 0,
          unlimited: true,
          notify_steps: false,
          signs_notifications: false,
          disabled_at: null,
          created_at: '2026-11-23T07:41:45.714Z',
        },
      ],
      next_cursor: null,
    },
  },
  readAccount: {
    answer: {
      success: true,
      data: {
        id: '01a2075a-93d7-740f-810d-74919f084db3',
        name: 'Brightwater Media',
        credits: 0,
        unlimited: true,
        notify_steps: false,
        signs_notifications: false,
        disabled_at: null,
        created_at: '2026-11-23T07:41:46.330Z',
      },
    },
  },
  changeAccount: {
    request: {
      unlimited: false,
    },
    answer: {
      success: true,
      data: {
        id: '01a2075a-93d7-740f-810d-74919f084db3',
        name: 'Brightwater Media',
        credits: 0,
        unlimited: false,
        notify_steps: false,
        signs_notifications: false,
        disabled_at: null,
        created_at: '2026-11-23T07:41:46.330Z',
      },
    },
  },
  grantCredits: {
    request: {
      amount: 500,
      note: 'As agreed',
    },
    answer: {
      success: true,
      data: {
        id: '01a2075a-93d7-740f-810d-74919f084db3',
        name: 'Brightwater Media',
        credits: 500,
        unlimited: false,
        notify_steps: false,
        signs_notifications: false,
        disabled_at: null,
        created_at: '2026-11-23T07:41:46.330Z',
      },
    },
  },
  createKey: {
    request: {
      name: 'Dashboard',
      role: 'editor',
    },
    answer: {
      success: true,
      id: '01a2075a-9462-762d-9300-6c4f826c9909',
      data: {
        id: '01a2075a-9462-762d-9300-6c4f826c9909',
        name: 'Dashboard',
        last_four: '9f7f',
        role: 'editor',
        site_ids: [],
        labels: [],
        expires_at: null,
        created_at: '2026-11-23T07:41:46.483Z',
        last_used_at: null,
        revoked_at: null,
        key: 'gly_sk_0123456789abcdef0123456789abcdef0123456789abcdef',
      },
    },
  },
  listKeys: {
    answer: {
      success: true,
      data: [
        {
          id: '01a2075a-9462-762d-9300-6c4f826c9909',
          name: 'Dashboard',
          last_four: '9f7f',
          role: 'editor',
          site_ids: [],
          labels: [],
          expires_at: null,
          created_at: '2026-11-23T07:41:46.483Z',
          last_used_at: null,
          revoked_at: null,
        },
        {
          id: '01a2075a-911a-73d2-9882-73a06a0a80c1',
          name: 'First key',
          last_four: '89e6',
          role: 'operator',
          site_ids: [],
          labels: [],
          expires_at: null,
          created_at: '2026-11-23T07:41:45.705Z',
          last_used_at: '2026-11-23T07:41:46.069Z',
          revoked_at: null,
        },
      ],
      next_cursor: null,
    },
  },
  updateKey: {
    request: {
      name: 'The dashboard',
    },
    answer: {
      success: true,
      data: {
        id: '01a2075a-9462-762d-9300-6c4f826c9909',
        name: 'The dashboard',
        last_four: '9f7f',
        role: 'editor',
        site_ids: [],
        labels: [],
        expires_at: null,
        created_at: '2026-11-23T07:41:46.483Z',
        last_used_at: null,
        revoked_at: null,
      },
    },
  },
  rotateKey: {
    request: {
      overlap_hours: 48,
    },
    answer: {
      success: true,
      id: '01a2075a-94a0-71c4-a6c5-5cbbd1b4a0f2',
      data: {
        id: '01a2075a-94a0-71c4-a6c5-5cbbd1b4a0f2',
        name: 'The dashboard',
        last_four: 'cdef',
        role: 'editor',
        site_ids: [],
        labels: [],
        expires_at: null,
        created_at: '2026-11-23T07:41:46.560Z',
        last_used_at: null,
        revoked_at: null,
        key: 'gly_sk_0123456789abcdef0123456789abcdef0123456789abcdef',
        previous_key_until: '2026-11-25T07:41:46.560Z',
      },
    },
  },
  revokeKey: {
    answer: {
      success: true,
      data: {
        id: '01a2075a-9462-762d-9300-6c4f826c9909',
        name: 'The dashboard',
        last_four: '9f7f',
        role: 'editor',
        site_ids: [],
        labels: [],
        expires_at: null,
        created_at: '2026-11-23T07:41:46.483Z',
        last_used_at: null,
        revoked_at: '2026-11-23T07:41:46.658Z',
      },
    },
  },
  beginSession: {
    answer: {
      success: true,
      id: '01a2075a-9567-74de-873e-4bcc562760d9',
      data: {
        account: {
          id: '01a2075a-912d-765c-9217-097e21ef9aba',
          name: 'Owner',
        },
        key: {
          id: '01a2075a-911a-73d2-9882-73a06a0a80c1',
          name: 'First key',
          last_four: '89e6',
        },
        role: 'operator',
        rights: ['session', 'accounts.manage'],
        limited: false,
        session: {
          since: '2026-11-23T07:41:46.728Z',
          until: '2026-12-07T07:41:46.728Z',
        },
      },
    },
  },
  getSession: {
    answer: {
      success: true,
      data: {
        account: {
          id: '01a2075a-912d-765c-9217-097e21ef9aba',
          name: 'Owner',
        },
        key: {
          id: '01a2075a-911a-73d2-9882-73a06a0a80c1',
          name: 'First key',
          last_four: '89e6',
        },
        role: 'operator',
        rights: ['session', 'accounts.manage'],
        limited: false,
        session: null,
      },
    },
  },
  endSession: {
    answer: {
      success: true,
      ended: 1,
    },
  },
  connectSite: {
    request: {
      id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
      url: 'https://example.com',
      labels: ['tides'],
      username: 'editor',
      application_password: 'abcd efgh ijkl mnop qrst uvwx',
    },
    answer: {
      success: true,
      id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
      data: {
        id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
        name: 'Loopback',
        url: 'https://example.com',
        rest_root: 'https://example.com/wp-json/',
        username: 'editor',
        status: 'connected',
        trouble: null,
        paused_until: null,
        stopped: null,
        labels: ['tides'],
        settings: {
          format: 'auto',
          post_type: 'posts',
          author: null,
          language: null,
          default_categories: [],
          fallback_category: null,
          category_aliases: {},
          term_policy: 'create',
          picture_policy: 'keep_remote',
          max_picture_bytes: 20971520,
          on_changed_post: 'hold',
          on_publish_refused: 'pending',
          concurrency: 2,
          batch: 'auto',
          seo_description: true,
          render: {
            top_heading_level: 2,
            code_language_class: true,
            outside_links_in_new_tab: false,
            outside_link_rel: [],
            image_size: 'large',
            image_link: 'none',
            image_captions: true,
            more_after: null,
            featured_image_in_body: 'keep',
            audio: 'top',
          },
        },
        report: {
          checked_at: '2026-11-23T07:41:48.185Z',
          level: 'warning',
          findings: [
            {
              seen: 'example.com answers.',
              todo: null,
              check: 'connection',
              level: 'ok',
              means: 'Its name, its server and its certificate are in order.',
              changed: false,
            },
            {
              seen: 'https://example.com/wp-json/ answers itself.',
              todo: null,
              check: 'redirects',
              level: 'ok',
              means: 'Credentials reach WordPress.',
              changed: false,
            },
          ],
        },
        created_at: '2026-11-23T07:41:47.073Z',
        updated_at: '2026-11-23T07:41:48.186Z',
      },
    },
  },
  listLabels: {
    answer: {
      success: true,
      data: [{ label: 'tides', site_count: 1 }],
      more: false,
    },
  },
  listSites: {
    answer: {
      success: true,
      data: [
        {
          id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
          name: 'Loopback',
          url: 'https://example.com',
          rest_root: 'https://example.com/wp-json/',
          username: 'editor',
          status: 'connected',
          trouble: null,
          paused_until: null,
          stopped: null,
          labels: ['tides'],
          settings: {
            format: 'auto',
            post_type: 'posts',
            author: null,
            language: null,
            default_categories: [],
            fallback_category: null,
            category_aliases: {},
            term_policy: 'create',
            picture_policy: 'keep_remote',
            max_picture_bytes: 20971520,
            on_changed_post: 'hold',
            on_publish_refused: 'pending',
            concurrency: 2,
            batch: 'auto',
            seo_description: true,
            render: {
              top_heading_level: 2,
              code_language_class: true,
              outside_links_in_new_tab: false,
              outside_link_rel: [],
              image_size: 'large',
              image_link: 'none',
              image_captions: true,
              more_after: null,
              featured_image_in_body: 'keep',
              audio: 'top',
            },
          },
          report: {
            checked_at: '2026-11-23T07:41:48.185Z',
            level: 'warning',
            findings: [
              {
                seen: 'example.com answers.',
                todo: null,
                check: 'connection',
                level: 'ok',
                means: 'Its name, its server and its certificate are in order.',
                changed: false,
              },
              {
                seen: 'https://example.com/wp-json/ answers itself.',
                todo: null,
                check: 'redirects',
                level: 'ok',
                means: 'Credentials reach WordPress.',
                changed: false,
              },
            ],
          },
          created_at: '2026-11-23T07:41:47.073Z',
          updated_at: '2026-11-23T07:41:48.186Z',
          backlog: {
            count: 0,
            more: false,
          },
          held: {
            count: 0,
            more: false,
          },
          last_delivery: null,
          worst_finding: {
            seen: 'The address begins with http, without encryption.',
            todo: 'Get a certificate (most hosts give one for free) and connect the site by its https address.',
            check: 'encryption',
            level: 'warning',
            means:
              'The application password can be read on the way, and WordPress takes it only on sites marked as local.',
            changed: false,
          },
        },
      ],
      next_cursor: null,
    },
  },
  exportSites: {},
  getSite: {
    answer: {
      success: true,
      data: {
        id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
        name: 'Loopback',
        url: 'https://example.com',
        rest_root: 'https://example.com/wp-json/',
        username: 'editor',
        status: 'connected',
        trouble: null,
        paused_until: null,
        stopped: null,
        labels: ['tides'],
        settings: {
          format: 'auto',
          post_type: 'posts',
          author: null,
          language: null,
          default_categories: [],
          fallback_category: null,
          category_aliases: {},
          term_policy: 'create',
          picture_policy: 'keep_remote',
          max_picture_bytes: 20971520,
          on_changed_post: 'hold',
          on_publish_refused: 'pending',
          concurrency: 2,
          batch: 'auto',
          seo_description: true,
          render: {
            top_heading_level: 2,
            code_language_class: true,
            outside_links_in_new_tab: false,
            outside_link_rel: [],
            image_size: 'large',
            image_link: 'none',
            image_captions: true,
            more_after: null,
            featured_image_in_body: 'keep',
            audio: 'top',
          },
        },
        report: {
          checked_at: '2026-11-23T07:41:48.185Z',
          level: 'warning',
          findings: [
            {
              seen: 'example.com answers.',
              todo: null,
              check: 'connection',
              level: 'ok',
              means: 'Its name, its server and its certificate are in order.',
              changed: false,
            },
            {
              seen: 'https://example.com/wp-json/ answers itself.',
              todo: null,
              check: 'redirects',
              level: 'ok',
              means: 'Credentials reach WordPress.',
              changed: false,
            },
          ],
        },
        created_at: '2026-11-23T07:41:47.073Z',
        updated_at: '2026-11-23T07:41:48.186Z',
      },
    },
  },
  updateSite: {
    request: {
      name: 'Tides weekly',
    },
    answer: {
      success: true,
      data: {
        id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
        name: 'Tides weekly',
        url: 'https://example.com',
        rest_root: 'https://example.com/wp-json/',
        username: 'editor',
        status: 'connected',
        trouble: null,
        paused_until: null,
        stopped: null,
        labels: ['tides'],
        settings: {
          format: 'auto',
          post_type: 'posts',
          author: null,
          language: null,
          default_categories: [],
          fallback_category: null,
          category_aliases: {},
          term_policy: 'create',
          picture_policy: 'keep_remote',
          max_picture_bytes: 20971520,
          on_changed_post: 'hold',
          on_publish_refused: 'pending',
          concurrency: 2,
          batch: 'auto',
          seo_description: true,
          render: {
            top_heading_level: 2,
            code_language_class: true,
            outside_links_in_new_tab: false,
            outside_link_rel: [],
            image_size: 'large',
            image_link: 'none',
            image_captions: true,
            more_after: null,
            featured_image_in_body: 'keep',
            audio: 'top',
          },
        },
        report: {
          checked_at: '2026-11-23T07:41:48.185Z',
          level: 'warning',
          findings: [
            {
              seen: 'example.com answers.',
              todo: null,
              check: 'connection',
              level: 'ok',
              means: 'Its name, its server and its certificate are in order.',
              changed: false,
            },
            {
              seen: 'https://example.com/wp-json/ answers itself.',
              todo: null,
              check: 'redirects',
              level: 'ok',
              means: 'Credentials reach WordPress.',
              changed: false,
            },
          ],
        },
        created_at: '2026-11-23T07:41:47.073Z',
        updated_at: '2026-11-23T07:41:48.403Z',
      },
    },
  },
  checkSite: {
    answer: {
      success: true,
      data: {
        checked_at: '2026-11-23T07:41:49.439Z',
        level: 'warning',
        findings: [
          {
            check: 'connection',
            level: 'ok',
            seen: 'example.com answers.',
            means: 'Its name, its server and its certificate are in order.',
            todo: null,
            changed: false,
          },
          {
            check: 'redirects',
            level: 'ok',
            seen: 'https://example.com/wp-json/ answers itself.',
            means: 'Credentials reach WordPress.',
            todo: null,
            changed: false,
          },
        ],
      },
    },
  },
  checkSites: {
    request: {
      label: 'tides',
    },
    answer: {
      success: true,
      data: {
        id: '01a2075a-a024-74d7-8966-96214d054f61',
        status: 'running',
        counts: {
          waiting: 1,
          ok: 0,
          warning: 0,
          problem: 0,
          gone: 0,
        },
        results: [
          {
            site_id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
            name: 'Tides weekly',
            status: 'waiting',
            checked_at: null,
          },
        ],
        created_at: '2026-11-23T07:41:49.478Z',
        finished_at: null,
      },
      next_cursor: null,
    },
  },
  getSitesCheck: {
    answer: {
      success: true,
      data: {
        id: '01a2075a-a024-74d7-8966-96214d054f61',
        status: 'running',
        counts: {
          waiting: 1,
          ok: 0,
          warning: 0,
          problem: 0,
          gone: 0,
        },
        results: [
          {
            site_id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
            name: 'Tides weekly',
            status: 'waiting',
            checked_at: null,
          },
        ],
        created_at: '2026-11-23T07:41:49.478Z',
        finished_at: null,
      },
      next_cursor: null,
    },
  },
  previewDocument: {
    request: {
      data: {
        title: 'A document',
        description: 'What it is about.',
        content: {
          type: 'document',
          version: '1.0',
          meta: {
            title: 'A document',
            description: 'What it is about.',
            word_count: 3,
            reading_time: '1 min read',
          },
          content: [
            {
              type: 'paragraph',
              content: [
                {
                  type: 'text',
                  text: 'Three plain words.',
                },
              ],
            },
          ],
        },
        word_count: 3,
        reading_time: '1 min read',
      },
      delivery: {
        post_status: 'draft',
      },
    },
    answer: {
      success: true,
      data: {
        outcome: 'delivered',
        error: null,
        post: {
          title: 'A document',
          slug: '',
          excerpt: 'What it is about.',
          content: '<!-- wp:paragraph -->\n<p>Three plain words.</p>\n<!-- /wp:paragraph -->',
          status: {
            asked: 'draft',
            result: 'draft',
          },
        },
        uploads: [],
        terms: [],
        warnings: [],
      },
    },
  },
  getSiteChoices: {
    answer: {
      success: true,
      data: {
        post_types: [
          {
            value: 'posts',
            name: 'Posts',
          },
          {
            value: 'pages',
            name: 'Pages',
          },
        ],
        authors: ['administrator', 'author'],
        categories: ['Uncategorized'],
        languages: [],
      },
    },
  },
  getSiteStyles: {
    answer: {
      success: true,
      data: {
        path: '/styles/v1.3f9c1ab2.q1c0h3m2l5w8xz4d.Zm9yIGFuIGhvdXIgdGhpcyBzaXRlLCBubyBvdGhlcg.css',
        left_out: [],
      },
    },
  },
  pauseSite: {
    request: {
      reason: 'It moves to a new host.',
    },
    answer: {
      success: true,
      data: {
        id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
        name: 'Tides weekly',
        url: 'https://example.com',
        rest_root: 'https://example.com/wp-json/',
        username: 'editor',
        status: 'stopped',
        trouble: null,
        paused_until: null,
        stopped: {
          at: '2026-11-23T07:41:49.746Z',
          reason: 'It moves to a new host.',
        },
        labels: ['tides'],
        settings: {
          format: 'auto',
          post_type: 'posts',
          author: null,
          language: null,
          default_categories: [],
          fallback_category: null,
          category_aliases: {},
          term_policy: 'create',
          picture_policy: 'keep_remote',
          max_picture_bytes: 20971520,
          on_changed_post: 'hold',
          on_publish_refused: 'pending',
          concurrency: 2,
          batch: 'auto',
          seo_description: true,
          render: {
            top_heading_level: 2,
            code_language_class: true,
            outside_links_in_new_tab: false,
            outside_link_rel: [],
            image_size: 'large',
            image_link: 'none',
            image_captions: true,
            more_after: null,
            featured_image_in_body: 'keep',
            audio: 'top',
          },
        },
        report: {
          checked_at: '2026-11-23T07:41:49.439Z',
          level: 'warning',
          findings: [
            {
              seen: 'example.com answers.',
              todo: null,
              check: 'connection',
              level: 'ok',
              means: 'Its name, its server and its certificate are in order.',
              changed: false,
            },
            {
              seen: 'https://example.com/wp-json/ answers itself.',
              todo: null,
              check: 'redirects',
              level: 'ok',
              means: 'Credentials reach WordPress.',
              changed: false,
            },
          ],
        },
        created_at: '2026-11-23T07:41:47.073Z',
        updated_at: '2026-11-23T07:41:49.746Z',
      },
    },
  },
  resumeSite: {
    answer: {
      success: true,
      data: {
        id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
        name: 'Tides weekly',
        url: 'https://example.com',
        rest_root: 'https://example.com/wp-json/',
        username: 'editor',
        status: 'connected',
        trouble: null,
        paused_until: null,
        stopped: null,
        labels: ['tides'],
        settings: {
          format: 'auto',
          post_type: 'posts',
          author: null,
          language: null,
          default_categories: [],
          fallback_category: null,
          category_aliases: {},
          term_policy: 'create',
          picture_policy: 'keep_remote',
          max_picture_bytes: 20971520,
          on_changed_post: 'hold',
          on_publish_refused: 'pending',
          concurrency: 2,
          batch: 'auto',
          seo_description: true,
          render: {
            top_heading_level: 2,
            code_language_class: true,
            outside_links_in_new_tab: false,
            outside_link_rel: [],
            image_size: 'large',
            image_link: 'none',
            image_captions: true,
            more_after: null,
            featured_image_in_body: 'keep',
            audio: 'top',
          },
        },
        report: {
          checked_at: '2026-11-23T07:41:49.439Z',
          level: 'warning',
          findings: [
            {
              seen: 'example.com answers.',
              todo: null,
              check: 'connection',
              level: 'ok',
              means: 'Its name, its server and its certificate are in order.',
              changed: false,
            },
            {
              seen: 'https://example.com/wp-json/ answers itself.',
              todo: null,
              check: 'redirects',
              level: 'ok',
              means: 'Credentials reach WordPress.',
              changed: false,
            },
          ],
        },
        created_at: '2026-11-23T07:41:47.073Z',
        updated_at: '2026-11-23T07:41:49.771Z',
      },
    },
  },
  previewMatrix: {
    request: {
      data: {
        title: 'A document',
        description: 'What it is about.',
        content: {
          type: 'document',
          version: '1.0',
          meta: {
            title: 'A document',
            description: 'What it is about.',
            word_count: 3,
            reading_time: '1 min read',
          },
          content: [
            {
              type: 'paragraph',
              content: [
                {
                  type: 'text',
                  text: 'Three plain words.',
                },
              ],
            },
          ],
        },
        word_count: 3,
        reading_time: '1 min read',
      },
      delivery: {
        post_status: 'draft',
      },
      site_ids: ['5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11'],
    },
    answer: {
      success: true,
      data: [
        {
          site_id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
          outcome: 'delivered',
          error: null,
          status: {
            asked: 'draft',
            result: 'draft',
          },
          terms: [],
          uploads: 0,
          warnings: [],
        },
      ],
    },
  },
  createImport: {
    answer: {
      success: true,
      id: '01a2075a-a1be-7098-91eb-986b7121dc24',
      data: {
        id: '01a2075a-a1be-7098-91eb-986b7121dc24',
        dry_run: false,
        status: 'running',
        lines: 1,
        waiting: 0,
        connected: 0,
        refused: 0,
        skipped: 1,
        check_id: null,
        created_at: '2026-11-23T07:41:49.895Z',
        ended_at: null,
        results: [
          {
            line: 2,
            status: 'skipped',
            error: {
              code: 'CONNECTED_ALREADY',
              message: 'This site is connected already. Change it with PATCH.',
            },
          },
        ],
      },
    },
  },
  getImport: {
    answer: {
      success: true,
      data: {
        id: '01a2075a-a1be-7098-91eb-986b7121dc24',
        dry_run: false,
        status: 'running',
        lines: 1,
        waiting: 0,
        connected: 0,
        refused: 0,
        skipped: 1,
        check_id: null,
        created_at: '2026-11-23T07:41:49.895Z',
        ended_at: null,
        results: [
          {
            line: 2,
            status: 'skipped',
            error: {
              code: 'CONNECTED_ALREADY',
              message: 'This site is connected already. Change it with PATCH.',
            },
          },
        ],
      },
      next_cursor: null,
    },
  },
  createBulk: {
    request: {
      action: 'label',
      filter: {
        label: 'tides',
      },
      parameters: {
        add: ['moon'],
      },
    },
    answer: {
      success: true,
      id: '01a2075a-a201-753c-b614-59175b9d195f',
      data: {
        id: '01a2075a-a201-753c-b614-59175b9d195f',
        action: 'label',
        filter: {
          label: 'tides',
        },
        parameters: {
          add: ['moon'],
          remove: [],
        },
        dry_run: false,
        status: 'collecting',
        matched: 0,
        done: 0,
        skipped: 0,
        failed: 0,
        reasons: [],
        created_at: '2026-11-23T07:41:49.956Z',
        ended_at: null,
      },
    },
  },
  listBulk: {
    answer: {
      success: true,
      data: [
        {
          id: '01a2075a-a201-753c-b614-59175b9d195f',
          action: 'label',
          filter: {
            label: 'tides',
          },
          parameters: {
            add: ['moon'],
            remove: [],
          },
          dry_run: false,
          status: 'collecting',
          matched: 0,
          done: 0,
          skipped: 0,
          failed: 0,
          reasons: [],
          created_at: '2026-11-23T07:41:49.956Z',
          ended_at: null,
        },
      ],
      next_cursor: null,
    },
  },
  getBulk: {
    answer: {
      success: true,
      data: {
        id: '01a2075a-a201-753c-b614-59175b9d195f',
        action: 'label',
        filter: {
          label: 'tides',
        },
        parameters: {
          add: ['moon'],
          remove: [],
        },
        dry_run: false,
        status: 'collecting',
        matched: 0,
        done: 0,
        skipped: 0,
        failed: 0,
        reasons: [],
        created_at: '2026-11-23T07:41:49.956Z',
        ended_at: null,
      },
    },
  },
  listBulkItems: {
    answer: {
      success: true,
      data: [],
      next_cursor: null,
    },
  },
  cancelBulk: {
    answer: {
      success: true,
      data: {
        id: '01a2075a-a201-753c-b614-59175b9d195f',
        action: 'label',
        filter: {
          label: 'tides',
        },
        parameters: {
          add: ['moon'],
          remove: [],
        },
        dry_run: false,
        status: 'cancelled',
        matched: 0,
        done: 0,
        skipped: 0,
        failed: 0,
        reasons: [],
        created_at: '2026-11-23T07:41:49.956Z',
        ended_at: null,
      },
    },
  },
  importSites: {
    answer: {
      success: true,
      data: [
        {
          line: 2,
          status: 'refused',
          error: {
            code: 'ADDRESS_INVALID',
            message:
              "“not an address” is not a web address. Type the site's address as a browser shows it, as in example.com/blog.",
          },
        },
      ],
      check_id: null,
    },
  },
  createConnectLink: {
    request: {
      url: 'https://example.com',
    },
    answer: {
      success: true,
      id: '01a2075a-a26f-7111-b051-054756c85a56',
      data: {
        id: '01a2075a-a26f-7111-b051-054756c85a56',
        url: 'https://example.com',
        status: 'open',
        expires_at: '2026-11-30T07:41:50.163Z',
        rejected_at: null,
        problem: null,
        site_id: null,
        used_at: null,
        created_at: '2026-11-23T07:41:50.166Z',
        link: 'https://example.com/connect/0123456789abcdef0123456789abcdef0123456789abcdef',
      },
    },
  },
  listConnectLinks: {
    answer: {
      success: true,
      data: [
        {
          id: '01a2075a-a26f-7111-b051-054756c85a56',
          url: 'https://example.com',
          status: 'open',
          expires_at: '2026-11-30T07:41:50.163Z',
          rejected_at: null,
          problem: null,
          site_id: null,
          used_at: null,
          created_at: '2026-11-23T07:41:50.166Z',
        },
      ],
      next_cursor: null,
    },
  },
  getConnectLink: {
    answer: {
      success: true,
      data: {
        id: '01a2075a-a26f-7111-b051-054756c85a56',
        url: 'https://example.com',
        status: 'open',
        expires_at: '2026-11-30T07:41:50.163Z',
        rejected_at: null,
        problem: null,
        site_id: null,
        used_at: null,
        created_at: '2026-11-23T07:41:50.166Z',
      },
    },
  },
  openConnectLink: {},
  answerConnectLink: {},
  revokeConnectLink: {
    answer: {
      success: true,
      data: {
        id: '01a2075a-a26f-7111-b051-054756c85a56',
        url: 'https://example.com',
        status: 'revoked',
        expires_at: '2026-11-30T07:41:50.163Z',
        rejected_at: null,
        problem: null,
        site_id: null,
        used_at: null,
        created_at: '2026-11-23T07:41:50.166Z',
      },
    },
  },
  createSource: {
    request: {
      name: 'generator',
    },
    answer: {
      success: true,
      id: '01a2075a-a50d-763a-9eb3-b5e2f43c1a15',
      data: {
        id: '01a2075a-a50d-763a-9eb3-b5e2f43c1a15',
        name: 'generator',
        signed: false,
        previous_secret_until: null,
        previous_address_until: null,
        upstream_base_url: null,
        has_upstream_api_key: false,
        upstream_trouble: null,
        confirm: false,
        backfill: false,
        limits: {
          sites: [],
          labels: [],
          highest_status: null,
        },
        defaults: {},
        disabled: false,
        created_at: '2026-11-23T07:41:50.735Z',
        url: 'https://example.com/v1/webhooks/0123456789abcdef0123456789abcdef0123456789abcdef',
        signing_secret: null,
      },
    },
  },
  listSources: {
    answer: {
      success: true,
      data: [
        {
          id: '01a2075a-a50d-763a-9eb3-b5e2f43c1a15',
          name: 'generator',
          signed: false,
          previous_secret_until: null,
          previous_address_until: null,
          upstream_base_url: null,
          has_upstream_api_key: false,
          upstream_trouble: null,
          confirm: false,
          backfill: false,
          limits: {
            sites: [],
            labels: [],
            highest_status: null,
          },
          defaults: {},
          disabled: false,
          created_at: '2026-11-23T07:41:50.735Z',
        },
      ],
      next_cursor: null,
    },
  },
  getSource: {
    answer: {
      success: true,
      data: {
        id: '01a2075a-a50d-763a-9eb3-b5e2f43c1a15',
        name: 'generator',
        signed: false,
        previous_secret_until: null,
        previous_address_until: null,
        upstream_base_url: null,
        has_upstream_api_key: false,
        upstream_trouble: null,
        confirm: false,
        backfill: false,
        limits: {
          sites: [],
          labels: [],
          highest_status: null,
        },
        defaults: {},
        disabled: false,
        created_at: '2026-11-23T07:41:50.735Z',
      },
    },
  },
  updateSource: {
    request: {
      name: 'The generator',
    },
    answer: {
      success: true,
      data: {
        id: '01a2075a-a50d-763a-9eb3-b5e2f43c1a15',
        name: 'The generator',
        signed: false,
        previous_secret_until: null,
        previous_address_until: null,
        upstream_base_url: null,
        has_upstream_api_key: false,
        upstream_trouble: null,
        confirm: false,
        backfill: false,
        limits: {
          sites: [],
          labels: [],
          highest_status: null,
        },
        defaults: {},
        disabled: false,
        created_at: '2026-11-23T07:41:50.735Z',
        signing_secret: null,
      },
    },
  },
  sendWebhook: {
    request: {
      event: 'document.completed',
      id: 'c7fa1dc8-aeee-4b67-a5ed-b95e9c2ceeca',
      status: 'completed',
      data: {
        title: 'A document',
        description: 'What it is about.',
        content: {
          type: 'document',
          version: '1.0',
          meta: {
            title: 'A document',
            description: 'What it is about.',
            word_count: 3,
            reading_time: '1 min read',
          },
          content: [
            {
              type: 'paragraph',
              content: [
                {
                  type: 'text',
                  text: 'Three plain words.',
                },
              ],
            },
          ],
        },
        word_count: 3,
        reading_time: '1 min read',
      },
      delivery: {
        id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
        post_status: 'draft',
        metadata: {
          categories: [],
          tags: [],
        },
      },
    },
    answer: {
      success: true,
      event_id: '01a2075a-a57d-72dd-a746-de2fd3870ce5',
      delivery: true,
    },
  },
  rotateSource: {
    request: {},
    answer: {
      success: true,
      data: {
        id: '01a2075a-a50d-763a-9eb3-b5e2f43c1a15',
        name: 'The generator',
        signed: false,
        previous_secret_until: null,
        previous_address_until: '2026-11-24T07:41:50.917Z',
        upstream_base_url: null,
        has_upstream_api_key: false,
        upstream_trouble: null,
        confirm: false,
        backfill: false,
        limits: {
          sites: [],
          labels: [],
          highest_status: null,
        },
        defaults: {},
        disabled: false,
        created_at: '2026-11-23T07:41:50.735Z',
        url: 'https://example.com/v1/webhooks/0123456789abcdef0123456789abcdef0123456789abcdef',
        signing_secret: null,
      },
    },
  },
  backfillSource: {
    request: {
      document_ids: ['0d9f3c1e-6a57-4c55-9c8b-3f1f6c9f2a10'],
    },
    answer: {
      success: true,
      data: {
        asked: 1,
      },
    },
  },
  listBackfill: {
    answer: {
      success: true,
      data: [],
      next_cursor: null,
    },
  },
  openStream: {},
  listEvents: {
    answer: {
      success: true,
      data: [
        {
          id: '01a2075a-a57d-72dd-a746-de2fd3870ce5',
          source_id: '01a2075a-a50d-763a-9eb3-b5e2f43c1a15',
          event: 'document.completed',
          document_id: 'c7fa1dc8-aeee-4b67-a5ed-b95e9c2ceeca',
          status: 'planned',
          issues: [],
          received_at: '2026-11-23T07:41:50.847Z',
          confirmed_at: null,
        },
      ],
      next_cursor: null,
    },
  },
  getEvent: {
    answer: {
      success: true,
      data: {
        id: '01a2075a-a57d-72dd-a746-de2fd3870ce5',
        source_id: '01a2075a-a50d-763a-9eb3-b5e2f43c1a15',
        event: 'document.completed',
        document_id: 'c7fa1dc8-aeee-4b67-a5ed-b95e9c2ceeca',
        status: 'planned',
        issues: [],
        received_at: '2026-11-23T07:41:50.847Z',
        confirmed_at: null,
        body: '{"event":"document.completed","id":"c7fa1dc8-aeee-4b67-a5ed-b95e9c2ceeca","status":"completed","data":{"title":"A document","description":"What it is about.","content":{"type":"document","version":"1.0","meta":{"title":"A document","description":"What it is about.","word_count":3,"reading_time":"1 min read"},"content":[{"type":"paragraph","content":[{"type":"text","text":"Three plain words."}]}]},"word_count":3,"reading_time":"1 min read"},"delivery":{"id":"5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11","post_status":"draft","metadata":{"categories":[],"tags":[]}}}',
        body_encoding: 'utf-8',
      },
    },
  },
  createDeliveries: {
    request: {
      id: '0d9f3c1e-6a57-4c55-9c8b-3f1f6c9f2a10',
      site_ids: ['5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11'],
      data: {
        title: 'A document',
        description: 'What it is about.',
        content: {
          type: 'document',
          version: '1.0',
          meta: {
            title: 'A document',
            description: 'What it is about.',
            word_count: 3,
            reading_time: '1 min read',
          },
          content: [
            {
              type: 'paragraph',
              content: [
                {
                  type: 'text',
                  text: 'Three plain words.',
                },
              ],
            },
          ],
        },
        word_count: 3,
        reading_time: '1 min read',
      },
      delivery: {
        post_status: 'draft',
      },
    },
    answer: {
      success: true,
      id: '01a2075a-a683-7498-a8c6-8bc60edca1dd',
      data: [
        {
          id: '01a2075a-a68e-742d-85d1-415e90eb759b',
          site_id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
          status: 'queued',
        },
      ],
    },
  },
  listDeliveries: {
    answer: {
      success: true,
      data: [
        {
          id: '01a2075a-a68e-742d-85d1-415e90eb759b',
          document_id: '0d9f3c1e-6a57-4c55-9c8b-3f1f6c9f2a10',
          title: 'A document',
          source: {
            id: '01a2075a-a68a-762b-8a93-bd1ea0959fbd',
            name: 'Documents sent to POST /v1/deliveries',
          },
          site_id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
          site: {
            name: 'Tides weekly',
            labels: ['tides'],
          },
          status: 'queued',
          stands: {
            step: 'plan',
            outcome: 'queued',
            at: '2026-11-23T07:41:51.112Z',
            waits_for: 'turn',
          },
          post: null,
          warnings: [],
          attempts: 0,
          next_attempt_at: '2026-11-23T07:41:51.112Z',
          error: null,
          created_at: '2026-11-23T07:41:51.112Z',
          updated_at: '2026-11-23T07:41:51.112Z',
        },
        {
          id: '01a2075a-a57d-72dd-a746-e3f4a0691843',
          document_id: 'c7fa1dc8-aeee-4b67-a5ed-b95e9c2ceeca',
          title: 'A document',
          source: {
            id: '01a2075a-a50d-763a-9eb3-b5e2f43c1a15',
            name: 'The generator',
          },
          site_id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
          site: {
            name: 'Tides weekly',
            labels: ['tides'],
          },
          status: 'queued',
          stands: {
            step: 'plan',
            outcome: 'queued',
            at: '2026-11-23T07:41:50.847Z',
            waits_for: 'turn',
          },
          post: null,
          warnings: [],
          attempts: 0,
          next_attempt_at: '2026-11-23T07:41:50.847Z',
          error: null,
          created_at: '2026-11-23T07:41:50.847Z',
          updated_at: '2026-11-23T07:41:50.847Z',
        },
      ],
      next_cursor: null,
    },
  },
  countDeliveries: {
    answer: {
      success: true,
      data: {
        by_status: {
          queued: {
            count: 2,
            more: false,
          },
          delivering: {
            count: 0,
            more: false,
          },
          delivered: {
            count: 0,
            more: false,
          },
          held: {
            count: 0,
            more: false,
          },
          failed: {
            count: 0,
            more: false,
          },
          cancelled: {
            count: 0,
            more: false,
          },
        },
        by_code: [],
        by_code_more: false,
      },
    },
  },
  countDeliveriesByHour: {
    answer: {
      success: true,
      data: {
        hours: [
          {
            from: '2026-11-23T06:38:54.624Z',
            by_status: {
              queued: 2,
              delivering: 0,
              delivered: 0,
              held: 0,
              failed: 0,
              cancelled: 0,
            },
            median_ms: null,
          },
        ],
        median_ms: null,
        more: false,
      },
    },
  },
  listCauses: {
    answer: {
      success: true,
      data: [],
      more: false,
    },
  },
  exportDeliveries: {},
  getDelivery: {
    answer: {
      success: true,
      data: {
        id: '01a2075a-a68e-742d-85d1-415e90eb759b',
        document_id: '0d9f3c1e-6a57-4c55-9c8b-3f1f6c9f2a10',
        title: 'A document',
        source: {
          id: '01a2075a-a68a-762b-8a93-bd1ea0959fbd',
          name: 'Documents sent to POST /v1/deliveries',
        },
        site_id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
        site: {
          name: 'Tides weekly',
          labels: ['tides'],
        },
        status: 'queued',
        stands: {
          step: 'plan',
          outcome: 'queued',
          at: '2026-11-23T07:41:51.112Z',
          waits_for: 'turn',
        },
        post: null,
        warnings: [],
        attempts: 0,
        next_attempt_at: '2026-11-23T07:41:51.112Z',
        error: null,
        created_at: '2026-11-23T07:41:51.112Z',
        updated_at: '2026-11-23T07:41:51.112Z',
        todo: null,
        reconnect: false,
        event_id: '01a2075a-a683-7498-a8c6-8bc60edca1dd',
        media: [],
        timeline: [
          {
            at: '2026-11-23T07:41:51.112Z',
            step: 'plan',
            outcome: 'queued',
            detail: 'event 01a2075a-a683-7498-a8c6-8bc60edca1dd',
          },
        ],
      },
    },
  },
  getDeliveryEdits: {
    answer: {
      success: true,
      data: {
        galley: {
          title: 'Why the tide comes twice a day',
          content: 'The moon pulls.',
          excerpt: '',
        },
        site: {
          title: 'Why the tide comes twice a day',
          content: 'The moon.',
          excerpt: '',
          status: 'draft',
        },
      },
    },
  },
  retryDelivery: {
    request: {},
    answer: {
      success: true,
      data: {
        id: '01a2075a-a68e-742d-85d1-415e90eb759b',
        document_id: '0d9f3c1e-6a57-4c55-9c8b-3f1f6c9f2a10',
        title: 'A document',
        source: {
          id: '01a2075a-a68a-762b-8a93-bd1ea0959fbd',
          name: 'Documents sent to POST /v1/deliveries',
        },
        site_id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
        site: {
          name: 'Tides weekly',
          labels: ['tides'],
        },
        status: 'queued',
        stands: {
          step: 'plan',
          outcome: 'retried',
          at: '2026-11-23T07:41:51.513Z',
          waits_for: 'turn',
        },
        post: {
          id: 102,
          url: null,
          edit_url: null,
          status: null,
        },
        warnings: [],
        attempts: 0,
        next_attempt_at: '2026-11-23T07:41:51.513Z',
        error: null,
        created_at: '2026-11-23T07:41:51.112Z',
        updated_at: '2026-11-23T07:41:51.513Z',
        todo: null,
        reconnect: false,
        event_id: '01a2075a-a683-7498-a8c6-8bc60edca1dd',
        media: [],
        timeline: [
          {
            at: '2026-11-23T07:41:51.112Z',
            step: 'plan',
            outcome: 'queued',
            detail: 'event 01a2075a-a683-7498-a8c6-8bc60edca1dd',
          },
          {
            at: '2026-11-23T07:41:51.513Z',
            step: 'plan',
            outcome: 'retried',
          },
        ],
      },
    },
  },
  cancelDelivery: {
    answer: {
      success: true,
      data: {
        id: '01a2075a-a68e-742d-85d1-415e90eb759b',
        document_id: '0d9f3c1e-6a57-4c55-9c8b-3f1f6c9f2a10',
        title: 'A document',
        source: {
          id: '01a2075a-a68a-762b-8a93-bd1ea0959fbd',
          name: 'Documents sent to POST /v1/deliveries',
        },
        site_id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
        site: {
          name: 'Tides weekly',
          labels: ['tides'],
        },
        status: 'cancelled',
        stands: {
          step: 'plan',
          outcome: 'cancelled',
          at: '2026-11-23T07:41:51.553Z',
          waits_for: null,
        },
        post: {
          id: 102,
          url: null,
          edit_url: null,
          status: null,
        },
        warnings: [],
        attempts: 0,
        next_attempt_at: null,
        error: null,
        created_at: '2026-11-23T07:41:51.112Z',
        updated_at: '2026-11-23T07:41:51.553Z',
        todo: null,
        reconnect: false,
        event_id: '01a2075a-a683-7498-a8c6-8bc60edca1dd',
        media: [],
        timeline: [
          {
            at: '2026-11-23T07:41:51.112Z',
            step: 'plan',
            outcome: 'queued',
            detail: 'event 01a2075a-a683-7498-a8c6-8bc60edca1dd',
          },
          {
            at: '2026-11-23T07:41:51.513Z',
            step: 'plan',
            outcome: 'retried',
          },
        ],
      },
    },
  },
  createDocument: {
    request: {
      prompt: 'Why the tide comes twice a day',
    },
    answer: {
      success: true,
      id: '01a2075a-a890-7411-a597-772dcb491ac0',
    },
  },
  getDocumentStatus: {
    answer: {
      success: true,
      id: '01a2075a-a890-7411-a597-772dcb491ac0',
      status: 'pending',
    },
  },
  createAudio: {
    request: {
      text: 'The sea rises and falls.',
    },
    answer: {
      success: true,
      id: '01a2075a-a901-7012-9920-7ce8cef5eccb',
    },
  },
  getAudioStatus: {
    answer: {
      success: true,
      id: '01a2075a-a901-7012-9920-7ce8cef5eccb',
      status: 'pending',
    },
  },
  createImage: {
    request: {
      prompt: 'A harbour at low water',
    },
    answer: {
      success: true,
      id: '01a2075a-a937-766e-a7d9-5bc6e0bf8cb8',
    },
  },
  getImageStatus: {
    answer: {
      success: true,
      id: '01a2075a-a937-766e-a7d9-5bc6e0bf8cb8',
      status: 'pending',
    },
  },
  priceDocument: {
    request: {
      prompt: 'Why the tide comes twice a day',
      text: {
        length: 800,
      },
    },
    answer: {
      success: true,
      data: {
        price: 16,
        credits: null,
        unavailable: null,
      },
    },
  },
  priceAudio: {
    request: {
      text: 'The sea rises and falls.',
    },
    answer: {
      success: true,
      data: {
        price: 2,
        credits: null,
        unavailable: null,
      },
    },
  },
  priceImage: {
    request: {
      prompt: 'A harbour at low water',
    },
    answer: {
      success: true,
      data: {
        price: 4,
        credits: null,
        unavailable: null,
      },
    },
  },
  listJobs: {
    answer: {
      success: true,
      data: [
        {
          id: '01a20752-9037-7084-9c39-ba9129998864',
          kind: 'image',
          status: 'pending',
          title: 'A harbour at low water',
          price: 4,
          error: null,
          site_id: null,
          created_at: '2026-11-23T07:33:01.112Z',
          started_at: null,
          ended_at: null,
        },
        {
          id: '01a20752-8fce-736a-b509-1f56477c4498',
          kind: 'audio',
          status: 'pending',
          title: 'The sea rises and falls.',
          price: 2,
          error: null,
          site_id: null,
          created_at: '2026-11-23T07:33:01.011Z',
          started_at: null,
          ended_at: null,
        },
      ],
      next_cursor: null,
    },
  },
  getJob: {
    answer: {
      success: true,
      data: {
        id: '01a20752-8f5c-7620-b791-d58a9abc55da',
        kind: 'document',
        status: 'pending',
        title: 'Why the tide comes twice a day',
        price: 20,
        error: null,
        site_id: null,
        created_at: '2026-11-23T07:33:00.899Z',
        started_at: null,
        ended_at: null,
        request: {
          text: {
            model: 'standard',
            voice: 'neutral',
            length: 2000,
            formality: 'professional',
          },
          audio: {
            model: 'standard',
            style: null,
            voice: 'Kore',
            format: 'mp3',
            enabled: false,
            language: 'en-US',
          },
          image: {
            model: 'standard',
            enabled: true,
          },
          model: 'standard',
          prompt: 'Why the tide comes twice a day',
          delivery: null,
          keywords: [],
          research: {
            model: 'standard',
          },
          webhook_url: null,
          content_type: 'article',
        },
        steps: [
          {
            step: 'researching',
            of: null,
            parts: [],
          },
          {
            step: 'generating',
            of: null,
            parts: [],
          },
        ],
        sources: [],
      },
    },
  },
  listNotifications: {
    answer: {
      success: true,
      data: [
        {
          id: '01a2075a-a960-712e-8b59-47004af13546',
          event: 'image.completed',
          subject_id: '01a2075a-a937-766e-a7d9-5bc6e0bf8cb8',
          receiver_id: null,
          url: 'https://receiver.example/',
          status: 'waiting',
          attempts: 0,
          next_attempt_at: '2026-11-23T07:41:51.841Z',
          created_at: '2026-11-23T07:41:51.841Z',
        },
      ],
      next_cursor: null,
    },
  },
  getNotification: {
    answer: {
      success: true,
      data: {
        id: '01a2075a-a960-712e-8b59-47004af13546',
        event: 'image.completed',
        subject_id: '01a2075a-a937-766e-a7d9-5bc6e0bf8cb8',
        receiver_id: null,
        url: 'https://receiver.example/',
        status: 'waiting',
        attempts: 0,
        next_attempt_at: '2026-11-23T07:41:51.841Z',
        created_at: '2026-11-23T07:41:51.841Z',
        body: '{}',
        tries: [],
      },
    },
  },
  repeatNotification: {
    answer: {
      success: true,
      data: {
        id: '01a2075a-a960-712e-8b59-47004af13546',
        event: 'image.completed',
        subject_id: '01a2075a-a937-766e-a7d9-5bc6e0bf8cb8',
        receiver_id: null,
        url: 'https://receiver.example/',
        status: 'waiting',
        attempts: 0,
        next_attempt_at: '2026-11-23T07:41:51.841Z',
        created_at: '2026-11-23T07:41:51.841Z',
        body: '{}',
        tries: [],
      },
    },
  },
  createReceiver: {
    request: {
      kind: 'webhook',
      name: 'Dashboard',
      url: 'https://receiver.example/galley',
    },
    answer: {
      success: true,
      id: '01a2075a-aa17-72f9-b83a-b3d99ade9b1c',
      data: {
        id: '01a2075a-aa17-72f9-b83a-b3d99ade9b1c',
        kind: 'webhook',
        name: 'Dashboard',
        url: 'https://receiver.example/galley',
        events: ['delivery.delivered', 'delivery.held'],
        site_ids: [],
        labels: [],
        digest_minutes: null,
        previous_secret_until: null,
        disabled: false,
        created_at: '2026-11-23T07:41:52.026Z',
        secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
      },
    },
  },
  listReceivers: {
    answer: {
      success: true,
      data: [
        {
          id: '01a2075a-aa17-72f9-b83a-b3d99ade9b1c',
          kind: 'webhook',
          name: 'Dashboard',
          url: 'https://receiver.example/galley',
          events: ['delivery.delivered', 'delivery.held'],
          site_ids: [],
          labels: [],
          digest_minutes: null,
          previous_secret_until: null,
          disabled: false,
          created_at: '2026-11-23T07:41:52.026Z',
        },
      ],
      next_cursor: null,
    },
  },
  getReceiver: {
    answer: {
      success: true,
      data: {
        id: '01a2075a-aa17-72f9-b83a-b3d99ade9b1c',
        kind: 'webhook',
        name: 'Dashboard',
        url: 'https://receiver.example/galley',
        events: ['delivery.delivered', 'delivery.held'],
        site_ids: [],
        labels: [],
        digest_minutes: null,
        previous_secret_until: null,
        disabled: false,
        created_at: '2026-11-23T07:41:52.026Z',
      },
    },
  },
  updateReceiver: {
    request: {
      name: 'The dashboard',
    },
    answer: {
      success: true,
      data: {
        id: '01a2075a-aa17-72f9-b83a-b3d99ade9b1c',
        kind: 'webhook',
        name: 'The dashboard',
        url: 'https://receiver.example/galley',
        events: ['delivery.delivered', 'delivery.held'],
        site_ids: [],
        labels: [],
        digest_minutes: null,
        previous_secret_until: null,
        disabled: false,
        created_at: '2026-11-23T07:41:52.026Z',
      },
    },
  },
  rotateReceiver: {
    request: {},
    answer: {
      success: true,
      data: {
        id: '01a2075a-aa17-72f9-b83a-b3d99ade9b1c',
        kind: 'webhook',
        name: 'The dashboard',
        url: 'https://receiver.example/galley',
        events: ['delivery.delivered', 'delivery.held'],
        site_ids: [],
        labels: [],
        digest_minutes: null,
        previous_secret_until: '2026-11-24T07:41:52.138Z',
        disabled: false,
        created_at: '2026-11-23T07:41:52.026Z',
        secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
      },
    },
  },
  testReceiver: {
    request: {},
    answer: {
      success: true,
      data: {
        id: '01a2075a-aaa9-74ea-b67a-2d9d640758df',
        event: 'delivery.delivered',
        subject_id: '018f3c1e-6a11-7c55-8f21-0a1b2c3d4e5f',
        receiver_id: '01a2075a-aa17-72f9-b83a-b3d99ade9b1c',
        url: 'https://receiver.example/galley',
        status: 'waiting',
        attempts: 0,
        next_attempt_at: '2026-11-23T07:41:52.171Z',
        created_at: '2026-11-23T07:41:52.171Z',
        body: '{"event":"delivery.delivered","id":"01a2075a-aaa9-74ea-b67a-2d9d640758df","created_at":"2026-11-23T07:41:52.170Z","sample":true,"data":{"id":"018f3c1e-6a11-7c55-8f21-0a1b2c3d4e5f","document_id":"018f3c1e-4b22-7e66-9d32-1b2c3d4e5f60","title":"How tides come about","source":null,"site_id":"018f3c1e-5f0a-7d3b-9a45-1c2d3e4f5a6b","status":"delivered","post":{"id":42,"url":"https://example.com/how-tides-come-about/","edit_url":"https://example.com/wp-admin/post.php?post=42&action=edit","status":"publish"},"warnings":[],"attempts":0,"next_attempt_at":null,"error":null,"created_at":"2026-01-01T12:00:00.000Z","updated_at":"2026-01-01T12:00:00.000Z","site":{"id":"018f3c1e-5f0a-7d3b-9a45-1c2d3e4f5a6b","name":"Harbour News","url":"https://example.com","labels":["news"]}}}',
        tries: [],
      },
    },
  },
  removeReceiver: {
    answer: {
      success: true,
      id: '01a2075a-aa17-72f9-b83a-b3d99ade9b1c',
    },
  },
  readFile: {},
  listAuditEntries: {
    answer: {
      success: true,
      data: [
        {
          id: '01a2075a-aac8-706b-829d-a2cf7e0ab10c',
          key_id: '01a2075a-911a-73d2-9882-73a06a0a80c1',
          actor: 'First key',
          action: 'receiver.remove',
          subject_kind: 'receiver',
          subject_id: '01a2075a-aa17-72f9-b83a-b3d99ade9b1c',
          details: {},
          at: '2026-11-23T07:41:52.200Z',
        },
        {
          id: '01a2075a-aaad-7661-9f0d-77afb376b885',
          key_id: '01a2075a-911a-73d2-9882-73a06a0a80c1',
          actor: 'First key',
          action: 'receiver.test',
          subject_kind: 'receiver',
          subject_id: '01a2075a-aa17-72f9-b83a-b3d99ade9b1c',
          details: {},
          at: '2026-11-23T07:41:52.173Z',
        },
      ],
      next_cursor: '01a2075a-a267-72b8-bb44-1fede8903307',
    },
  },
  exportAuditEntries: {},
  removeSource: {
    answer: {
      success: true,
      id: '01a2075a-ab38-76ef-98a2-06b1aaad78d7',
    },
  },
  removeSite: {
    answer: {
      success: true,
      id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
      message:
        'Its posts stay. To connect it again, give it this "id", 5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11: under another one not all of its posts are known again, and a document that is sent again may become a second post.',
    },
  },
}
