<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

/**
 * A copy of the package with another namespace, as tools make it that put several versions of a package into
 * one program: they change names in code, and strings that are nothing but such a name.
 */
final class PrefixedCopy
{
    public const PREFIX = 'Shop\\Vendor\\';

    private const COPIED = ['src', 'tests/Support', 'tests/fixtures'];
    private const AUTOLOADERS = ['autoload.php', 'tests/bootstrap.php'];

    private Folder $folder;

    public function __construct()
    {
        $this->folder = new Folder();
        $package = dirname(__DIR__, 2);
        mkdir($this->file('tests'), 0777, true);
        symlink(Repository::root() . '/tests', $this->folder->file('tests'));
        foreach (self::COPIED as $folder) {
            $this->folder->copy("$package/$folder", "bindings-php/$folder");
        }
        array_map(fn (string $file): bool => copy("$package/$file", $this->file($file)), self::AUTOLOADERS);
        $files = new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator(
            dirname($this->file('src')),
            \FilesystemIterator::SKIP_DOTS,
        ));
        foreach ($files as $file) {
            if ($file->getExtension() === 'php') {
                $tokens = \PhpToken::tokenize((string) file_get_contents((string) $file));
                file_put_contents((string) $file, implode(array_map(self::prefixed(...), $tokens)));
            }
        }
        foreach (self::AUTOLOADERS as $file) {
            $code = (string) file_get_contents($this->file($file));
            $prefix = addslashes(self::PREFIX);
            file_put_contents($this->file($file), str_replace("'Libpayments\\\\", "'{$prefix}Libpayments\\\\", $code));
        }
    }

    /** The path of a file of the package. */
    public function file(string $name): string
    {
        return $this->folder->file("bindings-php/$name");
    }

    private static function prefixed(\PhpToken $token): string
    {
        if ($token->is(T_CONSTANT_ENCAPSED_STRING)) {
            return (string) preg_replace('/^([\'"])(Libpayments(\\\\{1,2}\w+)+[\'"])$/D', '$1'
                . addcslashes(addslashes(self::PREFIX), '\\') . '$2', $token->text);
        }
        $isName = $token->is([T_NAME_QUALIFIED, T_NAME_FULLY_QUALIFIED]) || $token->text === 'Libpayments';
        return $isName
            ? (string) preg_replace('/^(\\\\?)(Libpayments\b)/', '$1' . addslashes(self::PREFIX) . '$2', $token->text)
            : $token->text;
    }
}
