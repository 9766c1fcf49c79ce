<?php
// Makes this WordPress a network of sites, with a second one in the folder /branch: two requests with the header
// X-Galley-Network, since the second needs what the first one wrote.
if (is_multisite()) {
    // as they come from outside, they would be the address of every site of the network
    remove_filter('option_home', '_config_wp_home');
    remove_filter('option_siteurl', '_config_wp_siteurl');
}

function galley_make_network(string $host): void
{
    global $wpdb;
    require_once ABSPATH . 'wp-admin/includes/upgrade.php';
    foreach ($wpdb->tables('ms_global') as $table => $prefixed) $wpdb->$table = $prefixed;
    install_network();
    $made = populate_network(1, $host, 'administrator@example.test', 'The network', '/', false);
    // that the host serves other folders is asked of the host, which is busy with this request
    if (is_wp_error($made) && $made->get_error_code() !== 'no_wildcard_dns') wp_send_json($made, 500);
    $constants = ['MULTISITE' => true, 'SUBDOMAIN_INSTALL' => false, 'DOMAIN_CURRENT_SITE' => $host,
        'PATH_CURRENT_SITE' => '/', 'SITE_ID_CURRENT_SITE' => 1, 'BLOG_ID_CURRENT_SITE' => 1];
    $lines = array_map(fn($name, $value) => "define('$name', " . var_export($value, true) . ");\n", array_keys($constants), $constants);
    file_put_contents(WP_CONTENT_DIR . '/database/network.php', "<?php\n" . implode($lines));
    foreach (['home', 'siteurl'] as $option) $wpdb->update($wpdb->options, ['option_value' => "http://$host"], ['option_name' => $option]);
    wp_send_json('network');
}

function galley_make_branch(string $host): void
{
    $id = wpmu_create_blog($host, '/branch/', 'The branch', get_user_by('login', 'administrator')->ID, ['public' => 1]);
    if (is_wp_error($id)) wp_send_json($id, 500);
    // WordPress looks here whether anybody has an application password; ours were made before the network was
    update_network_option(1, WP_Application_Passwords::OPTION_KEY_IN_USE, 1);
    add_user_to_blog($id, get_user_by('login', 'editor')->ID, 'editor');
    wp_send_json('branch');
}

if (isset($_SERVER['HTTP_X_GALLEY_NETWORK'])) {
    add_action('init', fn() => (is_multisite() ? 'galley_make_branch' : 'galley_make_network')($_SERVER['HTTP_HOST']));
}
