<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

/**
 * A folder that goes with the object.
 */
final class Folder
{
    private string $path;

    public function __construct()
    {
        $this->path = sys_get_temp_dir() . '/libpayments-' . bin2hex(random_bytes(6));
        mkdir($this->path, 0755);
    }

    public function __destruct()
    {
        $all = new \RecursiveIteratorIterator(
            new \RecursiveDirectoryIterator($this->path, \FilesystemIterator::SKIP_DOTS),
            \RecursiveIteratorIterator::CHILD_FIRST,
        );
        foreach ($all as $file) {
            $file->isDir() && !$file->isLink() ? rmdir($file->getPathname()) : unlink($file->getPathname());
        }
        rmdir($this->path);
    }

    /** The path of a file in it. */
    public function file(string $name, ?string $content = null): string
    {
        if ($content !== null) {
            file_put_contents("$this->path/$name", $content);
        }
        return "$this->path/$name";
    }
}
