<?php
/*
 * Must-use plugin for the tests: makes WordPress misbehave for the one request that asks for it by the header
 * X-Galley-Test, as plugins and broken sites do for every request. Without the header it does nothing.
 */
(function () {
  // Several test files may each have put a copy here: one of them acts, so that nothing happens twice.
  if (defined('GALLEY_TEST')) {
    return;
  }
  define('GALLEY_TEST', true);
  // `WHAT` or `WHAT:WORD`, several with commas; the word keeps what is remembered apart from other tests'.
  $asked = [];
  foreach (explode(',', $_SERVER['HTTP_X_GALLEY_TEST'] ?? '') as $part) {
    [$what, $word] = explode(':', "$part:");
    $asked[$what] = $word;
  }
  $when = function ($what, $act) use ($asked) {
    if (isset($asked[$what])) {
      $act($asked[$what]);
    }
  };

  // A site that shows fewer users at once than it is asked for.
  $when('one-user-a-page', function () {
    add_filter('rest_user_query', function ($args, $request) {
      return ['number' => 1, 'offset' => $request['page'] - 1] + $args;
    }, 10, 2);
  });
  // A plugin with a role of its own, which has no level of a user (`level_1`).
  $when('columnists', function () {
    add_action('wp_roles_init', function ($roles) {
      $roles->roles['columnist'] = ['name' => 'Columnist', 'capabilities' => ['read' => true, 'edit_posts' => true]];
      $roles->role_objects['columnist'] = new WP_Role('columnist', $roles->roles['columnist']['capabilities']);
      $roles->role_names['columnist'] = 'Columnist';
    });
  });
  // WordPress in a folder of its own: its files are not where its pages are.
  $when('own-folder', function () {
    add_filter('option_siteurl', fn($url) => "$url/wp", 20);
  });
  // A plugin that shows all categories of a post but the first.
  $when('hides-a-category', function () {
    add_filter('rest_prepare_post', function ($response) {
      unset($response->data['categories'][0]);
      return $response;
    });
  });
  // A plugin that keeps the slug of a post for ever.
  $when('keeps-slugs', function () {
    add_filter('wp_insert_post_data', function ($data, $given) {
      $stored = empty($given['ID']) ? '' : get_post_field('post_name', $given['ID']);
      return $stored === '' ? $data : ['post_name' => $stored] + $data;
    }, 10, 2);
  });
  $when('slow', function () {
    sleep(1);
  });
  // An SEO plugin whose canonical address is registered for the REST API.
  $when('canonical', function () {
    add_action('init', function () {
      register_post_meta('post', '_yoast_wpseo_canonical', [
        'type' => 'string', 'single' => true, 'show_in_rest' => true, 'auth_callback' => '__return_true',
      ]);
    });
  });
  // The rows that a post has in the database, past the REST API's own words for them; a theme with a template.
  $when('rows', function () {
    add_filter('theme_post_templates', function () {
      return ['wide.php' => 'Wide'];
    });
    add_action('init', function () {
      foreach (['genre' => 'genres', 'place' => 'place'] as $taxonomy => $base) {
        register_taxonomy($taxonomy, 'post', ['show_in_rest' => true, 'rest_base' => $base, 'hierarchical' => $taxonomy === 'place']);
      }
      foreach (['subtitle' => [], 'mood' => ['enum' => ['calm', 'wild']]] as $key => $schema) {
        register_post_meta('post', $key, [
          'type' => 'string', 'single' => true, 'show_in_rest' => ['schema' => $schema],
        ]);
      }
      foreach (['_yoast_wpseo_title', '_yoast_wpseo_meta-robots-noindex'] as $key) {
        register_post_meta('post', $key, [
          'type' => 'string', 'single' => true, 'show_in_rest' => true, 'auth_callback' => '__return_true',
        ]);
      }
      register_post_type('leaflet', ['label' => 'Leaflets', 'public' => true, 'show_in_rest' => true, 'rest_base' => 'leaflets']);
      register_rest_field('post', 'acf', [
        'get_callback' => function ($post) {
          return ['region' => get_post_meta($post['id'], 'acf_region', true)];
        },
        'update_callback' => function ($value, $post) {
          update_post_meta($post->ID, 'acf_region', $value['region']);
        },
        'schema' => ['type' => 'object', 'properties' => ['region' => ['type' => 'string', 'enum' => ['north', 'south']]]],
      ]);
    });
    add_action('rest_api_init', function () {
      register_rest_route('galley-test/v1', '/rows/(?P<id>\\d+)', [
        'permission_callback' => '__return_true',
        'callback' => function ($request) {
          global $wpdb;
          $id = (int) $request['id'];
          $terms = "SELECT t.name, x.taxonomy FROM $wpdb->term_relationships r
            JOIN $wpdb->term_taxonomy x USING (term_taxonomy_id) JOIN $wpdb->terms t USING (term_id) WHERE r.object_id = %d";
          return [
            'post' => $wpdb->get_row($wpdb->prepare("SELECT * FROM $wpdb->posts WHERE ID = %d", $id)),
            'meta' => $wpdb->get_results($wpdb->prepare("SELECT meta_key, meta_value FROM $wpdb->postmeta WHERE post_id = %d", $id)),
            'terms' => $wpdb->get_results($wpdb->prepare($terms, $id)),
            'sticky' => in_array($id, get_option('sticky_posts'), false),
          ];
        },
      ]);
    });
  });
  // Who changed a post last, which WordPress notes of changes in its own screens alone, and does not show (docs/wordpress.md).
  $when('edit-last', function () {
    add_action('init', function () {
      register_post_meta('post', '_edit_last', ['type' => 'integer', 'single' => true, 'show_in_rest' => true]);
    });
    add_action('post_updated', function ($id) {
      update_post_meta($id, '_edit_last', get_current_user_id());
    });
  });
  // A post type with what register_post_type supports by default, which is no excerpt.
  $when('notes', function () {
    add_action('init', function () {
      register_post_type('note', [
        'label' => 'Notes',
        'public' => true,
        'show_in_rest' => true,
        'rest_base' => 'notes',
        'taxonomies' => ['category', 'post_tag'],
      ]);
    });
  });
  // These with a description of their own, as an SEO plugin that shows its field over the REST API gives them one.
  $when('described-notes', function () {
    add_action('init', function () {
      add_post_type_support('note', 'custom-fields');
      register_post_meta('note', '_yoast_wpseo_metadesc', [
        'type' => 'string', 'single' => true, 'show_in_rest' => true, 'auth_callback' => '__return_true',
      ]);
    }, 20);
  });
  // The language of the site, by its locale.
  $when('locale', function ($locale) {
    add_filter('locale', fn() => $locale);
  });
  // Tables that hold no character of four bytes, as sites have them that were made before WordPress 4.2.
  $when('utf8mb3', function () {
    add_filter('pre_get_table_charset', fn() => 'utf8');
    add_filter('pre_get_col_charset', fn($charset, $table, $column) => $column === 'ID' ? $charset : 'utf8', 10, 3);
  });
  // A site that deletes what it would move to the trash.
  $when('no-trash', function () {
    define('EMPTY_TRASH_DAYS', 0);
  });
  $when('media-trash', function () {
    add_filter('rest_attachment_trashable', '__return_true');
  });
  // A type without categories and tags.
  $when('bulletins', function () {
    add_action('init', function () {
      register_post_type('bulletin', ['label' => 'Bulletins', 'public' => true, 'show_in_rest' => true, 'rest_base' => 'bulletins']);
    });
  });
  // A plugin that asks for the user early: only then does WordPress report why a password was refused.
  $when('early-user', function () {
    add_filter('rest_authentication_errors', function ($errors) {
      wp_get_current_user();
      return $errors;
    }, 1);
  });
  // As VIP Maintenance Mode and BeAPI's: visitors get 503, pages and REST API alike; whoever signs in is let in.
  $when('maintenance-for-visitors', function () {
    add_action('template_redirect', function () {
      if (!is_user_logged_in()) {
        status_header(503);
        exit('<html><head><title>Back soon</title></head><body>We are freshening things up.</body></html>');
      }
    });
    add_filter('rest_authentication_errors', function ($errors) {
      return !empty($errors) || is_user_logged_in() ? $errors
        : new WP_Error('rest_maintenance', 'REST API access is restricted while this site is undergoing maintenance.', ['status' => 503]);
    });
  });
  // As Force Login: pages lead to the login, and the REST API is for users.
  $when('forces-login', function () {
    add_action('template_redirect', function () {
      if (!is_user_logged_in()) {
        wp_safe_redirect(wp_login_url(home_url($_SERVER['REQUEST_URI'])));
        exit;
      }
    });
    add_filter('rest_authentication_errors', function ($errors) {
      return $errors !== null || is_user_logged_in() ? $errors
        : new WP_Error('rest_unauthorized', 'Only authenticated users can access the REST API.', ['status' => 401]);
    }, 99);
  });
  // Visitors of the REST API are sent to the login as well.
  $when('rest-behind-login', function () {
    add_filter('rest_authentication_errors', function ($errors) {
      if (!is_user_logged_in()) {
        wp_safe_redirect(wp_login_url());
        exit;
      }
      return $errors;
    });
  });
  // As Disable REST API: visitors are told nothing of users, and get no index.
  $when('closes-index-and-users', function () {
    add_filter('rest_pre_dispatch', function ($result, $server, $request) {
      $closed = $request->get_route() === '/' || strpos($request->get_route(), '/wp/v2/users') === 0;
      return $closed && !is_user_logged_in()
        ? new WP_Error('rest_cannot_access', 'DRA: Only authenticated users can access the REST API.', ['status' => 401])
        : $result;
    }, 10, 3);
  });
  // As WPS Hide Login: neither the login page nor wp-admin is there for visitors.
  $when('hides-login', function () {
    add_action('init', function () {
      if ((is_admin() || $GLOBALS['pagenow'] === 'wp-login.php') && !is_user_logged_in()) {
        wp_safe_redirect(home_url('/no-such-page-404/'));
        exit;
      }
    });
  });
  // As Limit Login Attempts and All In One Security: three failed logins, and nobody gets in. The count is told to tests.
  $when('counts-logins', function ($word) {
    $key = 'galley_test_logins_' . md5($word);
    $failed = (int) get_transient($key);
    header("X-Galley-Test-Failed: $failed");
    $count = function () use ($key) {
      set_transient($key, (int) get_transient($key) + 1, 3600);
    };
    add_action('wp_login_failed', $count);
    add_action('application_password_failed_authentication', $count);
    if ($failed >= 3) {
      add_filter('rest_authentication_errors', function () {
        return new WP_Error('too_many_retries', 'Too many failed login attempts.', ['status' => 403]);
      }, 1);
    }
  });
  $when('no-application-passwords', function () {
    add_filter('wp_is_application_passwords_available', '__return_false');
  });
  // As Disable Application Passwords for Humans, for somebody who has logged in: WordPress does not tell.
  $when('none-for-this-user', function () {
    add_filter('wp_is_application_passwords_available_for_user', '__return_false');
  });
  $when('not-for-this-user', function () {
    add_filter('wp_is_application_passwords_available_for_user', '__return_false');
    add_filter('rest_authentication_errors', function ($errors) {
      wp_get_current_user();
      return $errors;
    }, 1);
  });
  $when('members-only', function () {
    add_filter('rest_authentication_errors', function () {
      return new WP_Error('rest_login_required', 'REST API restricted to members.', ['status' => 401]);
    }, 1000);
  });
  $when('members-only-visitors', function () {
    add_filter('rest_authentication_errors', function ($errors) {
      return is_user_logged_in() ? $errors : new WP_Error('rest_login_required', 'Members only.', ['status' => 401]);
    }, 1000);
  });
  $when('notice', function () {
    add_action('init', function () {
      echo "<br />\n<b>Warning</b>:  Undefined array key in <b>a.php</b> on line <b>3</b><br />\n";
    });
  });
  $when('fatal', function () {
    add_action('rest_api_init', function () {
      galley_calls_what_is_not_there();
    });
  });
  $when('fails-after-insert', function () {
    add_action('rest_after_insert_post', function () {
      galley_calls_what_is_not_there();
    });
  });
  // Runs out of memory while the sub-sizes are made: the attachment is there by then.
  $when('fails-while-resizing', function () {
    add_filter('intermediate_image_sizes_advanced', function ($sizes) {
      if (strpos($_SERVER['REQUEST_URI'], 'post-process') === false) {
        galley_calls_what_is_not_there();
      }
      return $sizes;
    });
  });
  $when('seo', function () {
    add_action('init', function () {
      register_post_meta('post', '_yoast_wpseo_metadesc', [
        'type' => 'string',
        'single' => true,
        'show_in_rest' => true,
        'auth_callback' => '__return_true',
      ]);
    });
  });

  // WP REST API Cache answers POST from its cache as well, by address.
  $cachePosts = function ($word, $addressOf) {
    $key = function ($request) use ($addressOf, $word) {
      return 'galley_test_' . md5($word . $addressOf($request));
    };
    add_filter('rest_pre_dispatch', function ($result, $server, $request) use ($key) {
      $kept = $request->get_method() === 'POST' ? get_transient($key($request)) : false;
      return $kept === false ? $result : new WP_REST_Response($kept, 201);
    }, 10, 3);
    add_filter('rest_post_dispatch', function ($response, $server, $request) use ($key) {
      if ($request->get_method() === 'POST' && !$response->is_error()) {
        set_transient($key($request), $server->response_to_data($response, false), 300);
      }
      return $response;
    }, 10, 3);
  };
  $when('caches-post', function ($word) use ($cachePosts) {
    $cachePosts($word, function () {
      return $_SERVER['REQUEST_URI'];
    });
  });
  // One that does not even look at the query.
  $when('caches-post-by-route', function ($word) use ($cachePosts) {
    $cachePosts($word, function ($request) {
      return $request->get_route();
    });
  });
  // As Regenerate Post Slug: the slug follows the title, with every save.
  $when('rewrites-slugs', function () {
    add_filter('wp_insert_post_data', function ($data, $given) {
      if ($data['post_type'] === 'post' && $data['post_title'] !== '') {
        $data['post_name'] = wp_unique_post_slug(
          sanitize_title($data['post_title']), $given['ID'] ?? 0, 'publish', 'post', 0
        );
      }
      return $data;
    }, 10, 2);
  });
  // As Regenerate Post Slug on Save: each save takes the slug away; WordPress makes one of the title on publishing.
  $when('takes-slugs', function () {
    $take = function ($id, $post) use (&$take) {
      if ($post->post_type === 'post' && $post->post_status !== 'auto-draft') {
        remove_action('save_post', $take);
        wp_update_post(['ID' => $id, 'post_name' => '']);
        add_action('save_post', $take, 10, 2);
      }
    };
    add_action('save_post', $take, 10, 2);
  });
  // As Disable Media Pages.
  $when('renames-attachments', function () {
    add_filter('wp_unique_post_slug', function ($slug, $id, $status, $type) {
      return $type === 'attachment' ? str_replace('-', '', wp_generate_uuid4()) : $slug;
    }, 10, 4);
  });
  // As plugins that keep each file once: the second upload of the same bytes is answered with the first.
  $when('keeps-files-once', function () {
    add_filter('rest_dispatch_request', function ($result, $request) {
      if ($request->get_method() !== 'POST' || $request->get_route() !== '/wp/v2/media') {
        return $result;
      }
      $files = $request->get_file_params();
      $hash = md5($files ? file_get_contents($files['file']['tmp_name']) : $request->get_body());
      $GLOBALS['galley_test_hash'] = $hash;
      $known = get_posts(['post_type' => 'attachment', 'post_status' => 'any', 'meta_key' => 'galley_test_hash',
        'meta_value' => $hash, 'numberposts' => 1]);
      if (!$known) {
        return $result;
      }
      $request['context'] = 'edit';
      $answer = (new WP_REST_Attachments_Controller('attachment'))->prepare_item_for_response($known[0], $request);
      $answer->set_status(201);
      return $answer;
    }, 10, 2);
    add_action('add_attachment', function ($id) {
      add_post_meta($id, 'galley_test_hash', $GLOBALS['galley_test_hash'] ?? '');
    });
  });
  // Protected meta, registered without auth_callback: refused after the post was saved.
  $when('refuses-meta', function () {
    add_action('init', function () {
      register_post_meta('post', '_yoast_wpseo_metadesc', ['type' => 'string', 'single' => true, 'show_in_rest' => true]);
    });
  });
  // The notes of the block editor: without a place for them, refused after the post was saved, or dropped without a word.
  $when('no-footnotes', function () {
    add_action('init', fn() => unregister_post_meta('post', 'footnotes'), 30);
  });
  $when('refuses-footnotes', function () {
    add_filter('auth_post_meta_footnotes_for_post', '__return_false', 99);
  });
  $when('drops-footnotes', function () {
    add_filter('sanitize_post_meta_footnotes', '__return_empty_string', 99);
  });
  $status = function ($from, $to) {
    add_filter('wp_insert_post_data', function ($data) use ($from, $to) {
      if ($data['post_type'] === 'post' && $data['post_status'] === $from && $data['post_content'] !== '') {
        $data['post_status'] = $to;
      }
      return $data;
    });
  };
  $when('forbids-publishing', function () use ($status) {
    $status('publish', 'draft');
  });
  $when('publishes-drafts', function () use ($status) {
    $status('draft', 'publish');
  });
  // As Require Featured Image: asks it of whoever does not come from the editor.
  $when('exempts-the-editor', function () use ($status) {
    if (($_GET['_locale'] ?? '') !== 'user') {
      $status('publish', 'draft');
    }
  });
  $content = function ($change) {
    add_filter('wp_insert_post_data', function ($data) use ($change) {
      if ($data['post_type'] === 'post') {
        $data['post_content'] = $change($data['post_content']);
      }
      return $data;
    });
  };
  $when('drops-text', function () use ($content) {
    $content(function ($text) {
      return substr($text, 0, 20);
    });
  });
  $when('drops-pictures', function () use ($content) {
    $content(function ($text) {
      return preg_replace('/<img[^>]*>/', '', $text);
    });
  });
  $when('drops-headings', function () use ($content) {
    $content(function ($text) {
      return preg_replace('#<!-- wp:heading.*?/wp:heading -->#s', '', preg_replace('#<h\\d.*?</h\\d>#s', '', $text));
    });
  });
  // As plugins that keep the texts of posts from whoever copies them over the REST API.
  $when('hides-text', function () {
    add_filter('rest_prepare_post', function ($response) {
      $data = $response->get_data();
      unset($data['content']);
      $response->set_data($data);
      return $response;
    }, 99);
  });
  // As plugins for several languages: the slug says which.
  $when('suffixes-slugs', function () {
    add_filter('wp_unique_post_slug', function ($slug, $id, $status, $type) {
      return $type === 'post' && substr($slug, -3) !== '-en' ? "$slug-en" : $slug;
    }, 10, 4);
  });
  $when('renames-titles', function () {
    add_filter('wp_insert_post_data', function ($data) {
      if ($data['post_type'] === 'post' && $data['post_content'] !== '') {
        $data['post_title'] = 'News: ' . preg_replace('/^News: /', '', $data['post_title']);
      }
      return $data;
    });
  });
  // As plugins that spread posts over days.
  $when('schedules', function () {
    add_filter('wp_insert_post_data', function ($data) {
      if ($data['post_type'] === 'post' && $data['post_status'] === 'publish') {
        $data['post_status'] = 'future';
        $data['post_date'] = $data['post_date_gmt'] = gmdate('Y-m-d H:i:s', time() + 7 * DAY_IN_SECONDS);
      }
      return $data;
    });
  });
  // A forgotten print_r.
  $when('prints-brackets', function () {
    if (strpos($_SERVER['REQUEST_URI'] ?? '', '/wp-json') === 0) {
      echo "Array ( [0] => [] )\n[]\n";
    }
  });
  // As plugins that tell somebody of each post, and cannot reach them: the post is saved, and the answer is an error.
  $when('fails-after-saving', function () {
    add_action('rest_after_insert_post', function ($post) {
      if ($post->post_content !== '') {
        wp_die('The notification service cannot be reached.');
      }
    });
  });
  // As servers that make a redirect of every answer with a Location, 201 among them.
  $when('redirects-creations', function () {
    add_filter('rest_post_dispatch', function ($response) {
      if ($response->get_status() === 201) {
        $response->set_status(302);
      }
      return $response;
    }, 99);
  });
  // As Edit Flow and PublishPress Statuses: posts begin as a pitch; there are no drafts, and nothing is pending.
  $when('own-statuses', function () use ($status) {
    add_action('init', function () {
      register_post_status('pitch', ['label' => 'Pitch', 'internal' => false, 'protected' => true, 'show_in_admin_all_list' => true]);
      unset($GLOBALS['wp_post_statuses']['pending']);
    }, 99);
    add_filter('rest_post_item_schema', function ($schema) {
      $schema['properties']['status']['enum'] = ['publish', 'future', 'private', 'pitch'];
      return $schema;
    });
    add_filter('wp_insert_post_data', function ($data) {
      if ($data['post_type'] === 'post' && $data['post_status'] === 'draft') {
        $data['post_status'] = 'pitch';
      }
      return $data;
    });
  });
  // As VIP Workflow's publish guard: the right to publish is taken from posts in some statuses, drafts among them.
  $when('guards-publishing', function () {
    add_filter('user_has_cap', function ($caps, $needed, $args) {
      $post = $GLOBALS['post'] ?? null;
      if ($args[0] === 'publish_posts' && $post && $post->post_status === 'draft') {
        $caps['publish_posts'] = false;
      }
      return $caps;
    }, 10, 3);
  });
  // As VIP Workflow: a new draft with a slug of its own crashes it.
  $when('crashes-on-slugs', function () {
    add_filter('wp_insert_post_data', function ($data, $given) {
      if ($data['post_type'] === 'post' && empty($given['ID']) && $data['post_name'] !== '') {
        galley_calls_what_is_not_there();
      }
      return $data;
    }, 1, 2);
  });
  // As Publication Checklist: nothing is published without a featured image, looked for before the request sets it.
  $when('keeps-without-image', function () {
    add_filter('wp_insert_post_data', function ($data, $given) {
      if ($data['post_type'] === 'post' && $data['post_status'] === 'publish' && !has_post_thumbnail($given['ID'] ?? 0)) {
        $data['post_status'] = 'draft';
      }
      return $data;
    }, 10, 2);
  });
  // As Require Featured Image: what is published without one is taken back, and the request ends; the image comes later.
  $when('ends-without-image', function () {
    add_action('transition_post_status', function ($new, $old, $post) {
      if ($new === 'publish' && $post->post_type === 'post' && !has_post_thumbnail($post->ID)) {
        $post->post_status = $old === 'publish' ? 'draft' : $old;
        wp_update_post($post);
        wp_die('You cannot publish without a featured image.');
      }
    }, 10, 3);
  });
  // The same in words that nobody knows.
  $when('ends-in-other-words', function () {
    add_action('transition_post_status', function ($new, $old, $post) {
      if ($new === 'publish' && $post->post_type === 'post' && !has_post_thumbnail($post->ID)) {
        $post->post_status = $old === 'publish' ? 'draft' : $old;
        wp_update_post($post);
        wp_die('Il manque une image.');
      }
    }, 10, 3);
  });
  // As All In One Security: a visitor's request ends with wp_die, which is HTTP 500.
  $when('dies-for-visitors', function () {
    add_action('rest_api_init', function () {
      if (!is_user_logged_in()) {
        wp_die('You are not authorized to perform this action.');
      }
    });
  });
  // As JWT Authentication for WP REST APIs: it takes tokens of its own alone, and answers in a way of its own.
  $when('own-tokens-only', function () {
    add_action('rest_api_init', function () {
      wp_send_json(['status' => 'error', 'error' => 'Restricted', 'error_description' => 'Sorry, no access to this REST API.'], 403);
    });
  });
  // As Advanced Custom Fields with a required field: the editor insists on it, the REST API does not.
  $when('required-fields', function () {
    add_action('rest_api_init', function () {
      $names = ['subtitle' => true, 'region' => true, 'colour' => false];
      register_rest_field('post', 'acf', [
        'get_callback' => function ($post) use ($names) {
          $values = [];
          foreach ($names as $name => $required) {
            $values[$name] = $name === 'region' ? 'North' : get_post_meta($post['id'], $name, true);
          }
          return $values;
        },
        'schema' => [
          'type' => 'object',
          'properties' => array_map(function ($required) {
            return ['type' => ['string', 'null'], 'required' => $required];
          }, $names),
        ],
      ]);
    });
  });
  // As Co-Authors Plus: terms of users are the byline; a new post gets that of whoever made it.
  $authors = function ($taxonomy, $base, $prefix, $has, $may = 'edit_posts') {
    add_action('init', function () use ($taxonomy, $base, $prefix, $has, $may) {
      register_taxonomy($taxonomy, 'post', [
        'public' => false, 'show_in_rest' => true, 'rest_base' => $base, 'capabilities' => ['assign_terms' => $may],
      ]);
      foreach (get_users() as $user) {
        if ($has($user) && !term_exists($prefix . $user->user_nicename, $taxonomy)) {
          wp_insert_term($user->user_login, $taxonomy, ['slug' => $prefix . $user->user_nicename]);
        }
      }
    });
    add_action('save_post_post', function ($id) use ($taxonomy, $prefix) {
      if (!wp_get_object_terms($id, $taxonomy, ['fields' => 'ids'])) {
        wp_set_object_terms($id, [$prefix . wp_get_current_user()->user_nicename], $taxonomy);
      }
    });
  };
  $when('coauthors', function () use ($authors) {
    $authors('galley_coauthor', 'coauthors', 'cap-', '__return_true');
  });
  // As PublishPress Authors, where somebody has to make each author; the word is whose there is.
  $when('made-authors', function ($word) use ($authors) {
    $authors('galley_author_' . strlen($word), 'ppma_author', '', function ($user) use ($word) {
      return $user->user_login === $word;
    });
  });
  // The same, where this user may not set a byline.
  $when('locked-authors', function () use ($authors) {
    $authors('galley_locked', 'ppma_author', '', '__return_true', 'do_not_allow');
  });
  // One that takes it, and names whoever made the post all the same.
  $when('stubborn-authors', function () use ($authors) {
    $authors('galley_stubborn', 'ppma_author', '', '__return_true');
    add_action('rest_after_insert_post', function ($post) {
      wp_set_object_terms($post->ID, [wp_get_current_user()->user_nicename], 'galley_stubborn');
    });
  });
  // As Authorship: ids of users, in a field of its own.
  $when('authorship', function () {
    add_action('rest_api_init', function () {
      register_rest_field('post', 'authorship', [
        'get_callback' => function ($post) {
          return get_post_meta($post['id'], 'galley_authorship', true) ?: [get_current_user_id()];
        },
        'update_callback' => function ($ids, $post) {
          update_post_meta($post->ID, 'galley_authorship', array_map('intval', $ids));
        },
        'schema' => ['type' => 'array', 'items' => ['type' => 'integer']],
      ]);
    });
  });
  // As Polylang, with French by default: posts and terms have a language, lists of terms follow `lang`, and a post
  // gets the translation of a term of another language. What has the same description is a translation.
  $when('languages', function () {
    $known = ['fr' => 'Français', 'en' => 'English'];
    $asked = '';
    // Of each request of a batch its own.
    add_filter('rest_request_before_callbacks', function ($response, $handler, $request) use ($known, &$asked) {
      $asked = isset($known[$request['lang'] ?? '']) ? $request['lang'] : '';
      return $response;
    }, 10, 3);
    $of = function ($kind, $id) {
      return get_metadata($kind, $id, 'galley_language', true) ?: 'fr';
    };
    add_action('rest_api_init', function () use ($known) {
      register_rest_route('pll/v1', '/languages', [
        'methods' => 'GET',
        'permission_callback' => '__return_true',
        'callback' => function () use ($known) {
          return array_map(function ($slug) use ($known) {
            return ['slug' => $slug, 'name' => $known[$slug], 'is_default' => $slug === 'fr'];
          }, array_keys($known));
        },
      ]);
    });
    foreach (['category', 'post_tag'] as $taxonomy) {
      add_filter("rest_{$taxonomy}_query", function ($args) use (&$asked) {
        return $asked === '' ? $args : $args + ['meta_query' => [['key' => 'galley_language', 'value' => $asked]]];
      });
      add_filter("rest_pre_insert_$taxonomy", function ($term) use (&$asked) {
        $term->slug = sanitize_title($term->name) . "-$asked";
        return $term;
      });
      add_action("created_$taxonomy", function ($id) use (&$asked) {
        update_term_meta($id, 'galley_language', $asked ?: 'fr');
      });
    }
    add_action('save_post_post', function ($id) use (&$asked) {
      add_post_meta($id, 'galley_language', $asked ?: 'fr', true);
    });
    add_action('set_object_terms', function ($post, $terms, $ids, $taxonomy) use ($of) {
      $language = $of('post', $post);
      foreach (get_terms(['taxonomy' => $taxonomy, 'term_taxonomy_id' => $ids ?: [0], 'hide_empty' => false]) as $term) {
        if ($term->description === '' || $of('term', $term->term_id) === $language) {
          continue;
        }
        wp_remove_object_terms($post, $term->term_id, $taxonomy);
        foreach (get_terms(['taxonomy' => $taxonomy, 'hide_empty' => false]) as $other) {
          if ($other->description === $term->description && $of('term', $other->term_id) === $language) {
            wp_set_object_terms($post, $other->term_id, $taxonomy, true);
          }
        }
      }
    }, 10, 4);
  });
  // As Polylang before 3.7: only the head of its pages tells of languages.
  $when('names-languages', function () {
    add_action('wp_head', function () {
      foreach (['en-GB', 'fr-FR', 'x-default'] as $language) {
        echo '<link rel="alternate" href="' . home_url("/$language/") . "\" hreflang=\"$language\" />\n";
      }
    });
  });
  // A plugin that has much to do after each save.
  $when('delays', function () {
    add_action('rest_after_insert_post', function () {
      usleep(100000);
    });
  });
  // Another structure of addresses than the site's: `permalinks:<post_id>.<postname>` is /%post_id%/%postname%/.
  $when('permalinks', function ($parts) {
    add_filter('pre_option_permalink_structure', function () use ($parts) {
      return $parts === '' ? '' : '/' . strtr($parts, ['<' => '%', '>' => '%', '.' => '/']) . '/';
    });
    add_filter('pre_option_rewrite_rules', '__return_empty_string');
    add_filter('pre_update_option_rewrite_rules', function ($new, $old) {
      return $old;
    }, 10, 2);
  });
  // Categories without a base, as SEO plugins have them.
  $when('no-category-base', function () {
    add_filter('category_link', function ($link) {
      return str_replace('/category/', '/', $link);
    });
    add_filter('request', function ($vars) {
      return isset($vars['name']) && get_category_by_slug($vars['name']) ? ['category_name' => $vars['name']] : $vars;
    });
  });
  // A post type with a list of its own.
  $when('books', function () {
    add_action('init', function () {
      register_post_type('book', ['label' => 'Books', 'public' => true, 'has_archive' => 'books', 'show_in_rest' => true]);
    });
    add_filter('request', function ($vars) {
      return ($vars['name'] ?? '') === 'books' ? ['post_type' => 'book'] : $vars;
    });
  });
  // What keeps visitors from a post, as plugins do.
  $when('discouraged', function () {
    add_filter('pre_option_blog_public', '__return_zero');
  });
  $when('noindex-header', function () {
    add_action('send_headers', function () {
      header('X-Robots-Tag: noindex, nofollow');
    });
  });
  $when('coming-soon', function () {
    add_action('template_redirect', function () {
      echo '<html><head><title>' . get_bloginfo('name') . '</title></head><body><h1>Coming soon</h1></body></html>';
      exit;
    });
  });
  $when('under-maintenance', function () {
    add_action('template_redirect', function () {
      wp_die('We are back in an hour.', 'Maintenance', ['response' => 503]);
    });
  });
  $when('members-only', function () {
    add_action('template_redirect', function () {
      auth_redirect();
    });
  });
  $when('basic-auth', function () {
    add_action('template_redirect', function () {
      header('WWW-Authenticate: Basic realm="Staging"');
      wp_die('Staging', 'Staging', ['response' => 401]);
    });
  });
  $when('sends-home', function () {
    add_action('template_redirect', function () {
      if (is_single()) {
        wp_redirect(home_url('/'));
        exit;
      }
    });
  });
  $when('excerpts-only', function () {
    add_filter('the_content', function ($text) {
      return is_single() ? '<p>Subscribe to read on.</p>' : $text;
    });
  });
  $when('untitled-theme', function () {
    add_filter('the_title', function ($title) {
      return is_single() ? '' : $title;
    });
  });
  $when('bare-theme', function () {
    add_action('template_redirect', function () {
      the_post();
      echo '<html><body><h2>' . get_the_title() . '</h2><div>' . apply_filters('the_content', get_the_content()) . '</div></body></html>';
      exit;
    });
  });
  $when('renames-posts', function () {
    foreach (['the_title', 'pre_get_document_title'] as $hook) {
      add_filter($hook, function ($title) {
        return is_single() ? 'Another headline' : $title;
      });
    }
  });
  $when('refuses-without-image', function () {
    add_filter('rest_pre_insert_post', function ($post) {
      return ($post->post_status ?? '') === 'publish' && !has_post_thumbnail($post->ID ?? 0)
        ? new WP_Error('checklist_incomplete', 'A featured image is required.', ['status' => 400])
        : $post;
    });
  });
})();
